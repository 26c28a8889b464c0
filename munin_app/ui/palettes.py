"""The colours of each theme: dark and light, and both again in high contrast. What each is for stands in docs/look.md."""

from dataclasses import dataclass

CLEAR = "#00000000"


@dataclass(frozen=True, slots=True)
class Palette:
    bg: str
    panel: str
    raised: str
    well: str
    chosen: str
    """One of several in a well."""
    line: str
    edge: str
    """Around what is told by its fill alone; clear but in high contrast."""
    text: str
    text2: str
    text3: str
    seed: str
    on_seed: str
    tint: str
    on_tint: str
    memory: str
    memory_bg: str
    memory_line: str
    danger: str
    danger_line: str
    warn: str
    shadow: str
    snack: str
    on_snack: str
    snack_link: str
    code_word: str
    code_string: str
    code_number: str


DARK = Palette(
    bg="#0E1315",
    panel="#131A1C",
    raised="#182124",
    well="#1F2A2D",
    chosen="#283538",
    line="#283538",
    edge=CLEAR,
    text="#E7EDEC",
    text2="#AEBBBC",
    text3="#8B9A9D",
    seed="#8CCBC8",
    on_seed="#06292B",
    tint="#17383B",
    on_tint="#E2F2F0",
    memory="#EBBF70",
    memory_bg="#251F12",
    memory_line="#4B3C1E",
    danger="#F4A097",
    danger_line="#56302F",
    warn="#F0A784",
    shadow="#40000000",
    snack="#E7EDEC",
    on_snack="#131B1D",
    snack_link="#12585B",
    code_word="#8CCBC8",
    code_string="#C9D6A3",
    code_number="#D9B8E8",
)

LIGHT = Palette(
    bg="#FBFCFB",
    panel="#F2F5F4",
    raised="#FFFFFF",
    well="#E9EFED",
    chosen="#FFFFFF",
    line="#DAE3E1",
    edge=CLEAR,
    text="#131B1D",
    text2="#475659",
    text3="#5F6E71",
    seed="#12585B",
    on_seed="#FFFFFF",
    tint="#DCEDEB",
    on_tint="#0D2A2C",
    memory="#765000",
    memory_bg="#FCF3E0",
    memory_line="#EAD6AA",
    danger="#A3312A",
    danger_line="#F0CBC6",
    warn="#95471A",
    shadow="#14000000",
    snack="#1F2A2D",
    on_snack="#E7EDEC",
    snack_link="#8CCBC8",
    code_word="#12585B",
    code_string="#4A6410",
    code_number="#743C8C",
)

DARK_HIGH = Palette(
    bg="#000000",
    panel="#000000",
    raised="#0A0E0F",
    well="#171F21",
    chosen="#2E3F42",
    line="#8FA3A5",
    edge="#8FA3A5",
    text="#FFFFFF",
    text2="#E4ECEC",
    text3="#C9D5D6",
    seed="#A5E8E4",
    on_seed="#00201F",
    tint="#0B2F31",
    on_tint="#FFFFFF",
    memory="#FFD489",
    memory_bg="#1C1504",
    memory_line="#C99A48",
    danger="#FFBDB5",
    danger_line="#FF9C91",
    warn="#FFC3A6",
    shadow="#00000000",
    snack="#FFFFFF",
    on_snack="#000000",
    snack_link="#003B3D",
    code_word="#A5E8E4",
    code_string="#DCEBB0",
    code_number="#EBCDF8",
)

LIGHT_HIGH = Palette(
    bg="#FFFFFF",
    panel="#FFFFFF",
    raised="#FFFFFF",
    well="#F1F4F4",
    chosen="#FFFFFF",
    line="#566769",
    edge="#566769",
    text="#000000",
    text2="#1E2A2C",
    text3="#324144",
    seed="#00393B",
    on_seed="#FFFFFF",
    tint="#E0F2F0",
    on_tint="#000000",
    memory="#4F3500",
    memory_bg="#FFF7E6",
    memory_line="#8A6412",
    danger="#7D1009",
    danger_line="#A3312A",
    warn="#692B06",
    shadow="#00000000",
    snack="#000000",
    on_snack="#FFFFFF",
    snack_link="#A5E8E4",
    code_word="#00393B",
    code_string="#2F4205",
    code_number="#4F1F66",
)
