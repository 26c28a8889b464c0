"""A time that is given by an event, over a diary in four languages with the real encoder."""

from datetime import UTC, datetime

import pytest

from munin_app.domain.memories import conversation_scope
from munin_app.memory import MemoryService, anchors
from tests.model.memory.conftest import said

# Said a year apart: two things as they were, the event, the same two as they are since.
DIARIES = {
    "en": [
        "I go swimming at the lake with Tom on Sundays",
        "I work as a baker in town",
        "The move is done, boxes everywhere",
        "I go climbing in a hall with Eva on Sundays",
        "I work as a gardener in town",
    ],
    "de": [
        "Sonntags gehe ich mit Tom im See schwimmen",
        "Ich arbeite als Bäcker in der Stadt",
        "Der Umzug ist geschafft, überall Kisten",
        "Sonntags gehe ich mit Eva in der Halle klettern",
        "Ich arbeite als Gärtner in der Stadt",
    ],
    "es": [
        "Los domingos voy a nadar al lago con Tom",
        "Trabajo de panadero en la ciudad",
        "La boda fue preciosa, bailamos toda la noche",
        "Los domingos voy a escalar con Eva",
        "Trabajo de jardinero en la ciudad",
    ],
    "fr": [
        "Le dimanche je vais nager au lac avec Tom",
        "Je travaille comme boulanger en ville",
        "Le mariage était superbe, on a dansé",
        "Le dimanche je vais grimper avec Eva",
        "Je travaille comme jardinier en ville",
    ],
}
ASKED = [
    ("en", "What did I do on Sundays before the move?", 0),
    ("en", "What did I do on Sundays after the move?", 3),
    ("en", "What have I done on Sundays since I moved?", 3),
    ("en", "What did I work as before I moved?", 1),
    ("en", "What did I work as after the move?", 4),
    ("de", "Was habe ich sonntags vor dem Umzug gemacht?", 0),
    ("de", "Was mache ich sonntags seit dem Umzug?", 3),
    ("de", "Was habe ich sonntags nach dem Umzug gemacht?", 3),
    ("de", "Als was habe ich vor dem Umzug gearbeitet?", 1),
    ("de", "Als was habe ich nach dem Umzug gearbeitet?", 4),
    ("es", "¿Qué hacía los domingos antes de la boda?", 0),
    ("es", "¿Qué hago los domingos después de la boda?", 3),
    ("es", "¿Qué hago los domingos desde la boda?", 3),
    ("es", "¿De qué trabajaba antes de la boda?", 1),
    ("es", "¿De qué trabajo después de la boda?", 4),
    ("fr", "Que faisais-je le dimanche avant le mariage ?", 0),
    ("fr", "Que fais-je le dimanche après le mariage ?", 3),
    ("fr", "Que fais-je le dimanche depuis le mariage ?", 3),
    ("fr", "Je travaillais comme quoi avant le mariage ?", 1),
    ("fr", "Je travaille comme quoi après le mariage ?", 4),
]


async def right_before_wrong(service: MemoryService) -> tuple[int, int]:
    """How often the answer comes first, and how often before the same from the other side of the event."""
    first = before = 0
    for language, question, answer in ASKED:
        results = (await service.recall(question, scopes=[conversation_scope(language)], top_k=5, threshold=-1.0)).results
        order = [DIARIES[language].index(result.memory.text) for result in results]
        first += order[0] == answer
        before += order.index(answer) < order.index((answer + 3) % 6)
    return first, before


async def test_an_event_tells_the_times_apart(real: MemoryService, monkeypatch: pytest.MonkeyPatch) -> None:
    for language, diary in DIARIES.items():
        for year, text in enumerate(diary, 2020):
            at = int(datetime(year, 6, 1, tzinfo=UTC).timestamp() * 1000)
            assert await real.remember(said(text, conversation=language, at=at), scope=conversation_scope(language))
    found = await right_before_wrong(real)
    monkeypatch.setattr(anchors, "windows", lambda *_: ())
    without = await right_before_wrong(real)
    assert found[0] >= without[0] + 4 and found[1] >= without[1] + 5, (found, without)
