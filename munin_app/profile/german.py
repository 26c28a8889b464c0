"""German."""

import re

from munin_app.profile.language import Guard, Language, Splitter
from munin_app.profile.plain import Entry, Words, describer, rules
from munin_app.profile.words import word_set

_ADV = (
    r"(?:(?:auch|nur|sehr|wirklich|echt|gerade|jetzt|derzeit|momentan|aktuell|übrigens|eigentlich|schon|immer|noch|total"
    r"|absolut|nun"
    r"|zurzeit|hier|seit \w+ \w+|seit \d+|ursprünglich|ja|halt|besonders|am meisten|mittlerweile|inzwischen|hauptberuflich"
    r"|nebenbei"
    r"|beruflich|leider|zusammen mit [\w ]+?|überhaupt|gar|meistens|grundsätzlich|strikt|streng|überzeugte[r]?)\s+)*"
)
_I = r"(?:ich|wir)?\s*"
_AM = rf"{_I}(?:bin|sind)\s+{_ADV}"
_KIN = (
    r"(?:frau|mann|ehefrau|ehemann|freundin|freund|verlobter?|partnerin|partner|mutter|vater|mama|papa|schwester|bruder|sohn"
    r"|tochter"
    r"|oma|opa|großmutter|großvater|tante|onkel|nichte|neffe|cousin|cousine|enkelin|enkel|hund|hündin|katze|kater|kaninchen"
    r"|pferd|papagei"
    r"|hamster|wellensittich|meerschweinchen|chefin|chef|kollegin|kollege|zwillingsbruder|zwillingsschwester|baby|kind|welpe"
    r"|schildkröte"
    r"|labrador|dackel|stute|mitbewohner|mitbewohnerin|nachbarin|nachbar|schwiegermutter|schwiegervater|lebensgefährt(?:e|in))"
)
_KINS = (
    r"(?:kind(?:er)?|söhne|sohn|töchter|tochter|katzen?|kater|hunde?|hund|geschwister|brüder|bruder|schwestern?|enkel"
    r"|enkelkinder|pferde?"
    r"|kaninchen|hühner|hamster|papageien?|meerschweinchen|fische|mädchen|jungs|jungen|zwillinge|haustiere?|wellensittiche?"
    r"|hündin|schildkröten?)"
)
_COUNT = r"(?:ein|eine|einen|zwei|drei|vier|fünf|sechs|\d{1,2}|keine)"
_NAME = r"[A-ZÄÖÜ][\wäöüß'-]*(?: [A-ZÄÖÜ][\wäöüß'-]*){0,2}"
_DATE = (
    r"\d{1,2}\.\s?(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember"
    r"|\d{1,2}\.?)(?:\s?\d{2,4})?"
)

W = Words(
    cut=re.compile(
        r"(?i)\s*,?\s*\b(?:weil|da ich|aber|obwohl|denn|sondern|falls|während|welche[rs]?|bitte|danke|und (?:ich|wir|mein"
        r"|meine|das|es|er|sie"
        r"|habe|bin|möchte|suche|brauche|will|muss|jetzt|arbeite|wohne|lebe|studiere|komme)|deshalb|darum|also|seit|wo ich"
        r"|wegen)\b|,\s*(?:die|der|das|was|wie|wo|kannst|hast)\b"
    ),
    trailing=re.compile(
        r"(?i)[\s,]+(?:sehr|gern|gerne|auch|zurzeit|momentan|gerade|jetzt|oder so|usw|etc|zum beispiel|am liebsten|über alles"
        r"|total|geboren"
        r"|von beruf|mit meiner? \w+|nicht mehr|überhaupt|und|aufgewachsen|mehr|wirklich|übrigens|schon|heute)[\s.,]*$"
    ),
    transient=word_set(
        "heute morgen gestern gleich diese dieser dieses diesen diesem hier dein deine deinen deiner deinem ihnen euch fehler "
        "aufgabe hausaufgabe"
    ),
    no_taste=word_set(
        "es das dies diese dieser dieses diesen dich dir euch sie ihn ihm ihr dein deine deinen deiner nicht wenn dass wie "
        "was so mir mich beide alles nichts"
        " sehr gerade die der den dem jetzt mehr lieber hier"
    ),
    village=re.compile(
        "(?i)(?:einem|einer) (?:\\w+ )?(?:dorf|kleinstadt|stadt|ort|vorort|insel|bauernhof) (?:bei|in|nahe|an|von|nördlich"
        "|südlich)"
    ),
    no_place=word_set(
        "urlaub büro arbeit bett dusche haus wohnung angst frieden gefahr schule klasse stadt land welt traum vergangenheit "
        "moment not einer einem"
        " eine ein meiner meinem meine schwierigkeiten ruhe zug auto stress kino training ihr"
    ),
    no_name=word_set(
        "kein keine keinen keiner nie niemals kaum wie als ob nicht auch so ich der die das ein eine sehr hier da neu müde "
        "krank froh gut schlecht sicher fertig es mein noch kein keine egal"
    ),
    jobs=re.compile(
        r".*(?:arzt|ärztin|lehrer|lehrerin|ingenieur|ingenieurin|schwester|pfleger|pflegerin|verkäufer|verkäuferin|bäcker"
        r"|bäckerin|entwickler"
        r"|entwicklerin|kaufmann|kauffrau|erzieher|erzieherin|anwalt|anwältin|koch|köchin|mechaniker|mechanikerin|tischler"
        r"|tischlerin|schreiner"
        r"|schreinerin|elektriker|elektrikerin|friseur|friseurin|architekt|architektin|journalist|journalistin|student"
        r"|studentin|schüler"
        r"|schülerin|polizist|polizistin|fahrer|fahrerin|designer|designerin|programmierer|programmiererin|informatiker"
        r"|informatikerin"
        r"|berater|beraterin|therapeut|therapeutin|apotheker|apothekerin|musiker|musikerin|gärtner|gärtnerin|bauer|bäuerin"
        r"|landwirt"
        r"|landwirtin|maler|malerin|künstler|künstlerin|autor|autorin|wissenschaftler|wissenschaftlerin|physiker|physikerin"
        r"|chemiker"
        r"|chemikerin|biologe|biologin|psychologe|psychologin|psychotherapeutin|hebamme|kellner|kellnerin|sekretär|sekretärin"
        r"|buchhalter"
        r"|buchhalterin|rentner|rentnerin|azubi|hausfrau|hausmann|notar|notarin|richter|richterin|pilot|pilotin|feuerwehrmann"
        r"|sanitäter"
        r"|sanitäterin|klempner|maurer|dachdecker|metzger|fotograf|fotografin|übersetzer|übersetzerin|dolmetscher"
        r"|dolmetscherin|professor"
        r"|professorin|dozent|dozentin|doktorand|doktorandin|forscher|forscherin|bibliothekar|bibliothekarin|optiker"
        r"|optikerin|trainer"
        r"|trainerin|sozialarbeiter|sozialarbeiterin|arbeiter|arbeiterin|techniker|technikerin|manager|managerin|assistent"
        r"|assistentin"
        r"|beamter|beamtin|soldat|soldatin|schauspieler|schauspielerin|sänger|sängerin|winzer|winzerin|imker|imkerin"
        r"|steuerberater"
        r"|hausmeister|tierärztin|tierarzt|geologe|geologin|führer|führerin|leiter|leiterin|händler|händlerin|planer|planerin"
        r"|bauer|macher|macherin|wirt|wirtin|pastor|pastorin|pfarrer|pfarrerin|makler|maklerin|chirurg|chirurgin|floristin?"
        r"|konditorin?|monteur|redakteur(?:in)?|ökonom(?:in)?|statistiker(?:in)?|reporter(?:in)?|matrose|schlosser(?:in)?"
        r"|schweißer(?:in)?|lackierer(?:in)?|zimmermann|goldschmied(?:in)?|schneider(?:in)?|logopäde|logopädin|freiberufler"
        r"|freiberuflerin|unternehmer|unternehmerin|referendar(?:in)?)"
    ),
    languages=word_set(
        "deutsch englisch französisch spanisch italienisch türkisch polnisch russisch arabisch portugiesisch niederländisch "
        "holländisch schwedisch"
        " norwegisch dänisch finnisch griechisch kroatisch serbisch rumänisch ungarisch tschechisch chinesisch mandarin "
        "japanisch koreanisch"
        " hebräisch persisch farsi kurdisch ukrainisch vietnamesisch hindi latein plattdeutsch schweizerdeutsch albanisch "
        "bosnisch bulgarisch"
        " isländisch irisch katalanisch slowakisch slowenisch thailändisch gebärdensprache"
    ),
    joiners=re.compile(r"(?i)\s*(?:,|/|&|\bund\b|\bsowie\b|\bplus\b)\s*"),
    degree=re.compile(r"(?i)^(?:(?:fließend|etwas|ein bisschen|ein wenig|gut|gutes|sehr|auch|gebrochenes?|ganz|nur|noch)\s+)+"),
    mine=(
        (re.compile(r"(?i)\bmein(e[mnrs]?)?\b"), r"ihr\1"),
        (re.compile(r"(?i)\bunser(e[mnrs]?)?\b"), r"ihr\1"),
        (re.compile(r"(?i)\b(?:mich|mir)\b"), "sich"),
    ),
)

_IRREGULAR = {
    "lese": "liest", "esse": "isst", "fahre": "fährt", "sehe": "sieht", "schlafe": "schläft", "laufe": "läuft", "trage": "trägt",
    "nehme": "nimmt", "treffe": "trifft", "helfe": "hilft", "backe": "backt", "bin": "ist", "habe": "hat", "mag": "mag",
    "kann": "kann",
    "muss": "muss", "darf": "darf", "will": "will", "spreche": "spricht", "sammle": "sammelt", "bastle": "bastelt",
    "vergesse": "vergisst",
}  # fmt: skip


def _third(verb: str) -> str:
    """ "koche" is "kocht", "arbeite" is "arbeitet"."""
    verb = verb.lower()
    return _IRREGULAR.get(verb) or (verb + "t" if re.search(r"(?:[td]e|[^lrh][mn]e)$", verb) else verb[:-1] + "t")


def _gladly(value: str) -> str | None:
    """ "koche gern thailändisch" is "Kocht gern thailändisch"."""
    verb, _, rest = value.partition(" ")
    if verb.lower() in ("hätte", "wäre", "würde", "möchte", "könnte", "wüsste", "hätt", "würd", "frage"):
        return None
    what = W.lasting(rest) if rest.strip() else ""
    return None if what is None else f"{_third(verb)} gern {what}".strip()


def _most(value: str) -> str | None:
    verb, _, rest = value.partition(" ich ")
    what = W.lasting(rest)
    return f"{_third(verb)} am liebsten {what}" if what else None


def _wish(value: str) -> str | None:
    value = W.lasting(value) or ""
    return value if _LASTING.search(value) and not re.search(r"(?i)\b(?:heute|morgen|gleich|bald|wochenende)\b", value) else None


_LASTING = re.compile(
    r"(?i)(?:laufen|lernen|werden|abnehmen|aufhören|kaufen|schreiben|reisen|auswandern|gründen|sparen|bauen|eröffnen"
    r"|studieren|ziehen"
    r"|besteigen|segeln|umschulen|heiraten|veröffentlichen|verbessern|schaffen|promovieren|abschließen|zuzunehmen|zunehmen"
    r"|leben|arbeiten"
    r"|abzunehmen|aufzuhören|anzufangen|zu \w+en|\w+zu\w+en|marathon|spielen|machen)$"
)


def _note(sentence: str) -> str | None:
    """ "mein Auto ein blauer Polo ist" is "Auto ist ein blauer Polo"; "ich links parke" is "Parkt links"."""
    sentence = " ".join(sentence.split())
    if re.match(r"(?i)(?:du|dein|deine|sie|zu|wenn|wie|der nutzer|der user)\b", sentence) or len(sentence.split()) < 3:
        return None
    mine = re.match(r"(?i)(?:mein|meine|meinen|unser|unsere) (?P<what>[\w-]+) (?P<rest>.+)$", sentence)
    if mine:
        rest = re.sub(
            r"^(?P<rest>.+) (?P<verb>ist|sind|heißt|hat|steht|liegt|kommt|war|wird|kann|muss|fährt)$",
            r"\g<verb> \g<rest>",
            mine["rest"],
        )
        return _capital(f"{mine['what']} {W.third(rest)}")
    i_final = re.match(r"[Ii]ch (?P<rest>.+) (?P<verb>bin|habe|mag|kann|muss|darf|will|[a-zäöü]+e)$", sentence)
    if i_final:
        return _capital(f"{_third(i_final['verb'])} {W.third(i_final['rest'])}")
    i_first = re.match(r"(?i)ich (?P<verb>[a-zäöüß]+) (?P<rest>.+)$", sentence)
    return _capital(f"{_third(i_first['verb'])} {W.third(i_first['rest'])}" if i_first else W.third(sentence))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_LIKES = (("liebe", "Liebt"), ("mag", "Mag"), ("hasse", "Hasst"), ("bevorzuge", "Bevorzugt"), ("verabscheue", "Verabscheut"),
          ("genieße", "Genießt"), ("vermeide", "Vermeidet"), ("meide", "Meidet"), ("sammle", "Sammelt"), ("spiele",
           "Spielt"))  # fmt: skip
_GAMES = (
    r"(?:klavier|gitarre|geige|cello|bratsche|schlagzeug|bass|flöte|querflöte|klarinette|trompete|posaune|saxophon|saxofon"
    r"|harfe|orgel"
    r"|ukulele|akkordeon|tennis|fußball|basketball|volleyball|handball|badminton|hockey|golf|schach|tischtennis|skat|rugby"
    r"|eishockey|brettspiele)"
)
TABLE: tuple[Entry, ...] = (
    ("name", "name", rf"{_I}hei(?:ß|ss)e\s+{_ADV}(?P<value>.+)", "Heißt {}", W.name),
    ("name", "name", r"mein (?:voller |richtiger )?(?:vor)?name(?: ist|:| lautet) (?P<value>.+)", "Heißt {}", W.name),
    ("called", "name", r"(?:bitte )?(?:nennt? mich|(?:alle|freunde|meine freunde|man|die leute) nenn(?:en|t) mich) (?:bitte "
     r"|einfach |alle )?(?P<value>.+)",
     "Wird {} genannt", W.name),
    ("bare", "name", rf"(?i:{_AM})(?:der |die )?(?P<value>{_NAME})(?=$|,|\s+(?:und|aus)\b)", "Heißt {}",
     lambda value: _bare_name(value)),
    ("age", "age", rf"{_AM}(?P<value>\d{{1,3}})\s*(?:jahre|j\.|$|,|und\b)", "Ist {} Jahre alt", str),
    ("age", "age", rf"{_I}werde {_ADV}(?:bald |dieses jahr |im \w+ )?(?P<value>\d{{2}})(?= |$)", "Wird {}", str),
    ("birthday", "birthday", rf"{_I}(?:habe?|feiere?) {_ADV}am (?P<value>{_DATE}) (?:meinen )?geburtstag", "Hat am {} Geburtstag",
     str),
    ("birthday", "birthday", rf"mein geburtstag ist (?:am |der )?(?P<value>{_DATE})", "Hat am {} Geburtstag", str),
    ("birthday", "birthday", rf"{_I}(?:bin|wurde) am (?P<value>{_DATE})", "Wurde am {} geboren", str),
    ("birthday", "birthday", rf"{_I}(?:bin|wurde) (?:im jahr )?(?P<value>(?:19|20)\d\d) geboren", "Wurde {} geboren", str),
    ("location", "location", rf"{_I}(?:wohn|leb)e? {_ADV}in (?!der nähe)(?P<value>.+)", "Wohnt in {}", W.place),
    ("location", "location", rf"{_I}(?:wohn|leb)e? {_ADV}(?:in der nähe von|nahe|bei|nicht weit von) (?P<value>.+)",
     "Wohnt nahe {}", W.place),
    ("location", "location", rf"{_I}(?:wohn|leb)(?:e|en)? {_ADV}auf (?P<value>(?:einem|einer) (?:\w+ )?(?:bauernhof|insel|hof"
     rf"|dorf|boot|hausboot|land)\b.*)", "Wohnt auf {}", W.lasting),
    ("location", "location", rf"{_AM}(?:\w+ \w+ )?(?:vor (?:\w+ ){{1,2}})?nach (?P<value>.+?) (?:um)?gezogen", "Wohnt in {}",
     W.place),
    ("location", "location", r"mein wohnort ist (?P<value>.+)", "Wohnt in {}", W.place),
    ("origin", "origin", rf"{_I}(?:komm|stamm)e? {_ADV}aus (?P<value>(?:der |dem |den )?[^\W\d].+)", "Kommt aus {}", W.place),
    ("origin", "origin", rf"{_AM}aus (?P<value>(?:der |dem |den )?[^\W\d].+)", "Kommt aus {}", W.place),
    ("origin", "origin", rf"{_AM}in (?:der |den )?(?P<value>.+?) (?:geboren|aufgewachsen|zur welt)", "Ist in {} aufgewachsen",
     W.place),
    ("origin", "origin", rf"{_AM}(?P<value>deutsche[r]?|österreicher(?:in)?|schweizer(?:in)?|türk(?:e|in)|pol(?:e|in)"
     rf"|italiener(?:in)?|spanier(?:in)?"
     r"|franz(?:ose|ösin)|ungar(?:in)?|kroat(?:e|in)|griech(?:e|in)|brasilianer(?:in)?|syrer(?:in)?|russ(?:e|in)"
     r"|ukrainer(?:in)?|niederländer(?:in)?)(?=$|,|\s)",
     "Ist {}", str),
    ("job", "job", rf"{_I}(?:arbeite|jobbe|bin) {_ADV}(?:tätig )?als (?P<value>(?!kind|jugendlich|erste|nächst|mensch).+)",
     "Arbeitet als {}", W.any_job),
    ("job", "job", rf"{_AM}(?:ein |eine |gelernte[r]? |ausgebildete[r]? )*(?P<value>.+)", "Ist {}", W.job),
    ("job", "job", r"(?:als|da ich) (?P<value>\w+)(?= (?:habe|muss|bin|arbeite|kann|verdiene|brauche|sitze|stehe) ich\b)",
     "Ist {}", W.job),
    ("job", "job", r"mein beruf ist (?P<value>.+)", "Ist {}", W.any_job),
    ("job", "job", rf"{_I}studiere {_ADV}(?!noch nicht)(?P<value>.+?)(?= (?:in|an|im|und)\b|$)", "Studiert {}", W.lasting),
    ("job", "job", rf"{_I}unterrichte {_ADV}(?P<value>.+?)(?= (?:in|an|im)\b|$)", "Unterrichtet {}", W.lasting),
    ("job", "job", rf"{_I}mach?e? {_ADV}(?:eine |meine )?(?:ausbildung|lehre|umschulung) (?:als|zur|zum) (?P<value>.+)",
     "Macht eine Ausbildung zu {}", W.any_job),
    ("job", "job", rf"{_AM}(?:seit \w+ |in )?(?P<value>rente|ruhestand|arbeitslos|arbeitssuchend|selbstständig|selbständig"
     rf"|pensioniert|elternzeit|freiberuflich)\b",
     "Ist {}", str),
    ("employer", "employer", rf"{_I}(?:arbeite|bin) {_ADV}(?:bei|für) (?:der |dem |einer |einem )?(?P<value>.+?)(?: "
     rf"(?:angestellt|in der|im|als|am|an der)\b.*|$)",
     "Arbeitet bei {}", W.proper),
    ("employer", "employer", rf"{_I}arbeite {_ADV}(?:\w+ )?(?:in|an|im|am) (?P<value>(?:(?:einer|einem|der|dem) "
     rf")?[\w-]*(?:kita|krankenhaus|klinik|schule|gymnasium|universität|uni"
     r"|bank|bäckerei|praxis|kanzlei|supermarkt|hotel|restaurant|apotheke|bibliothek|museum|werkstatt|kindergarten|agentur"
     r"|startup|fabrik|altenheim|pflegeheim))\b", "Arbeitet in {}", str),
    ("employer", "employer", r".*? (?:als|bin) [\w-]+ (?:bei|an der|am|in (?:einer|einem)) (?P<value>(?:[A-ZÄÖÜ][\w&-]*(?: "
     r"[A-ZÄÖÜ][\w&-]*)*))(?=$|,| )", "Arbeitet bei {}",
     W.proper),
    ("kin", "relationship", rf"(?i:(?:mein|unser|meine|unsere) (?P<who>(?:\w+[er] )?{_KIN})(?: heißt| heisst|s name ist|, der"
     rf"|, die|,)?) (?P<value>{_NAME})(?=$|[,.]|\s)",
     "{who} heißt {}", W.proper),
    ("kin named", "relationship", rf"(?i:{_I}hab(?:e|en)? {_ADV}(?P<who>(?:einen|eine|ein) (?:\w+[enr] )?{_KIN})(?: namens|,? "
     rf"(?:der|die|das)|, (?:er|sie|es)?)) (?:heißt )?(?P<value>{_NAME})",
     "Hat {who} namens {}", W.proper),
    ("kin named", "relationship", rf"(?i:{_I}hab(?:e|en)? {_ADV}(?P<who>(?:einen|eine|ein) (?:\w+[enr] )?{_KIN}),? (?:der|die"
     rf"|das)) (?P<value>{_NAME}) heißt", "Hat {{who}} namens {}".replace("{{", "{").replace("}}", "}"), W.proper),
    ("kins", "relationship", rf"{_I}hab(?:e|en)? {_ADV}(?P<value>{_COUNT} (?:\w+ )?{_KINS}(?:(?:,| und) {_COUNT} (?:\w+ "
     rf")?{_KINS})*)(?=$|[,.]|\s)", "Hat {}", str),
    ("state", "relationship", rf"{_AM}(?:\w+ \w+ )?(?P<value>verheiratet|geschieden|verwitwet|verlobt|single|ledig"
     rf"|alleinerziehend(?:e[r]?)?|einzelkind|(?:vater|mutter) von \w+(?: kindern| söhnen| töchtern)?)\b",
     "Ist {}", str),
    ("diet", "diet", rf"{_AM}(?:eine? )?(?P<value>vegetarier(?:in)?|veganer(?:in)?|vegan|vegetarisch|pescetarier(?:in)?"
     rf"|laktoseintolerant|glutenintolerant"
     r"|diabetiker(?:in)?|laktose-intolerant|antialkoholiker(?:in)?)\b", "Ist {}", str),
    ("diet", "diet", rf"{_I}(?:ernähre mich|lebe|esse) {_ADV}(?:\w+ )?(?P<value>vegan|vegetarisch|koscher|halal|glutenfrei"
     rf"|laktosefrei|pflanzlich|low carb|ketogen)\b", "Isst {}", str),
    *(("diet", "diet", rf"{_I}{verb} {_ADV}(?P<value>kein(?:e|en|erlei)? .+)", third + " {}", lambda value: _not_food(value))
      for verb, third in (("esse", "Isst"), ("trinke", "Trinkt"), ("vertrage", "Verträgt"))),
    ("diet", "diet", rf"{_I}(?:darf|kann) {_ADV}(?P<value>kein(?:e|en)? .+?) (?:essen|trinken|vertragen|zu mir nehmen)",
     "Darf {} essen", lambda value: _not_food(value)),
    ("diet", "diet", rf"{_AM}(?:stark |hoch)?allergisch (?:gegen|auf) (?P<value>.+)", "Ist allergisch gegen {}", W.lasting),
    ("diet", "diet", rf"{_I}habe? {_ADV}(?P<value>(?:eine )?(?:\w+ )?[\w-]*(?:allergie|unverträglichkeit|zöliakie"
     rf"|intoleranz)(?: gegen .+)?)(?=$|,|\s)", "Hat {}", W.lasting),
    ("language", "language", rf"{_I}(?:spreche?|kann) {_ADV}(?P<value>.+)", "Spricht {}", W.some_languages),
    ("language", "language", rf"{_I}(?:lerne?|versuche) {_ADV}(?:seit .+? )?(?P<value>[\w-]+)(?: zu lernen)?(?=$|,|\s+(?:an"
     rf"|mit|seit|für|und|in)\b)", "Lernt {}", W.some_languages),
    ("language", "language", r"meine muttersprache ist (?P<value>.+)", "Muttersprache ist {}", W.some_languages),
    ("project", "project", rf"{_I}(?:schreibe|arbeite) {_ADV}an (?P<value>(?:einem|einer|meinem|meiner) (?!problem|fehler"
     rf"|aufgabe|text|mail|e-mail|hausaufgabe).+)", "Arbeitet an {}", W.lasting),
    ("project", "project", rf"{_I}schreibe {_ADV}(?P<value>(?:einen|ein|meine|eine) (?:\w+ )?(?:roman|krimi|buch|kinderbuch"
     rf"|doktorarbeit|masterarbeit|bachelorarbeit|dissertation|autobiografie)\b.*)",
     "Schreibt {}", W.lasting),
    *(("project", "project", rf"{_I}{stem}en? {_ADV}(?P<value>(?:ein|eine|einen|mein|meine|meinen|unser|unsere|unseren) "
    rf"(?!fehler|problem|tabelle|liste).+)", f"{stem.capitalize()}t {{}}", W.lasting)
      for stem in ("bau", "renovier", "entwickl", "entwickel", "restaurier", "programmier", "gründe")),
    ("health", "note", rf"{_I}(?:habe?|leide an) {_ADV}(?P<value>diabetes(?: typ [12])?|asthma|migräne|epilepsie|adhs|rheuma"
     rf"|bluthochdruck|depressionen|arthrose|neurodermitis|multiple sklerose|ms|tinnitus|heuschnupfen)\b", "Hat {}", str),
    ("health", "note", rf"{_AM}(?P<value>linkshänder(?:in)?|rechtshänder(?:in)?|farbenblind|gehörlos|schwerhörig|blind"
     rf"|rollstuhlfahrer(?:in)?|schwanger|legastheniker(?:in)?|autist(?:in)?)\b", "Ist {}", str),
    ("job", "job", rf"{_I}arbeite {_ADV}(?:im|in der|in) (?P<value>marketing|vertrieb|it|pflege|gastronomie|verwaltung"
     rf"|logistik|forschung|einkauf|baubranche|personalabteilung|buchhaltung|altenpflege|versicherungsbranche|finanzbranche"
     rf"|homeoffice|schichtdienst)\b", "Arbeitet in {}", str),
    ("language", "language", r"(?P<value>\w+) ist meine muttersprache", "Muttersprache ist {}", W.some_languages),
    ("most", "preference", rf"{_I}(?P<value>[a-zäöüß]+e am liebsten .+)", "{}", lambda value: _most_text(value)),
    ("goal", "goal", rf"{_I}(?:möchte|will|würde gerne?|plane|hoffe|versuche),? {_ADV}(?:irgendwann |unbedingt |eines tages "
     rf"|dieses jahr |,)*(?P<value>.+)", "Möchte {}", _wish),
    ("goal", "goal", r"mein (?:großes |großer |größter )?(?:ziel|traum|vorsatz)(?: für dieses jahr| dieses jahr)? ist(?: "
     r"es)?,? (?P<value>(?!dass|das|nicht).+)", "Ziel ist {}", W.lasting),
    ("goal", "goal", rf"{_I}(?:spare|trainiere) {_ADV}(?:auf|für) (?P<value>.+)", "Spart oder trainiert für {}", W.lasting),
    ("dislike", "preference", rf"{_I}(?:mag|liebe) {_ADV}(?P<value>.+?) (?:überhaupt |gar |wirklich |einfach )*nicht(?: so| "
     rf"mehr)?(?: gerne?| besonders| sehr)?$", "Mag {} nicht", W.lasting),
    ("dislike", "preference", rf"{_I}kann {_ADV}(?P<value>.+?) (?:überhaupt |gar |einfach )*nicht (?:leiden|ausstehen|ertragen)",
     "Kann {} nicht leiden", W.lasting),
    *((verb, "preference", rf"{_I}{verb} {_ADV}(?P<value>.+)", third + " {}", W.lasting) for verb,
    third in _LIKES if verb != "spiele"),
    ("plays", "preference", rf"{_I}spiele?  ?{_ADV}(?P<value>{_GAMES}(?: und {_GAMES})?)\b", "Spielt {}", str),
    ("dislike", "preference", rf"{_AM}kein (?:\w+ )?fan (?:von|der|des) (?P<value>.+)", "Ist kein Fan von {}", W.lasting),
    ("fan", "preference", rf"{_AM}(?:ein )?(?!kein)(?:\w+ )?fan (?:von|der|des) (?P<value>.+)", "Ist Fan von {}", W.lasting),
    ("fan", "preference", rf"{_I}(?:stehe? {_ADV}auf|interessiere mich {_ADV}für|begeistere mich {_ADV}für) (?P<value>.+)",
     "Interessiert sich für {}", W.lasting),
    ("gladly", "preference", rf"{_I}(?P<value>[a-zäöüß]+e {_ADV}gerne?\b.*)", "{}", lambda value: _gladly_text(value)),
    ("most", "preference", r"am liebsten (?P<value>[a-zäöüß]+e ich .+)", "{}",
     lambda value: _capital(_most(value) or "") or None),
    ("favourite", "preference", r"mein(?:e|er)? (?P<what>lieblings[\w-]+) (?:ist|sind|heißt) (?P<value>.+)", "{what} ist {}",
     W.lasting),
    ("hobby", "preference", r"meine? hobb(?:y|ys|ies) (?:ist|sind) (?P<value>.+)", "Hobbys: {}", W.lasting),
    ("rather", "preference", rf"{_I}(?P<value>(?:trinke|esse|lese|reise|fahre|höre|schlafe|arbeite) lieber .+)", "{}",
     lambda value: _rather(value)),
)  # fmt: skip


def _bare_name(value: str) -> str | None:
    """ "Ich bin Jonas"; German writes every noun like a name, so that what ends like one is none."""
    ordinary = re.search(
        r"(?i)(?:er|erin|in|ist|ent|ant|or|eur|loge|mann|frau|ung|heit|keit|fan|single|azubi|profi|laie|mama|papa|mutter"
        r"|vater|mitglied"
        r"|kunde|oma|opa|christ|jude|moslem|muslima?|kind|student|deutsche?|typ|mensch|batman|gast|chef|koch|arzt|pilot|team"
        r"|boss|held|raucher)$",
        value,
    )
    return None if ordinary else W.proper(value)


def _not_food(value: str) -> str | None:
    value = W.lasting(value) or ""
    return value if value and not re.search(r"(?i)\b(?:frühstück|mittag|abendessen|mehr davon)\b", value) else None


def _gladly_text(value: str) -> str | None:
    verb, _, rest = value.partition(" ")
    gladly = _gladly(f"{verb} {re.sub(rf'^{_ADV}gerne?', '', rest, flags=re.I).strip()}")
    return _capital(gladly) if gladly else None


def _most_text(value: str) -> str | None:
    verb, _, rest = value.partition(" am liebsten ")
    what = W.lasting(rest)
    return _capital(f"{_third(verb)} am liebsten {what}") if what else None


def _rather(value: str) -> str | None:
    verb, _, rest = value.partition(" ")
    what = W.lasting(rest.partition(" ")[2])
    return _capital(f"{_third(verb)} lieber {what}") if what else None


_QUESTION = (
    r"(?:was|wer|wem|wen|wessen|wo|woher|wohin|wann|warum|wieso|weshalb|wie|welche[rsmn]?|kann|kannst|könntest|können"
    r"|soll|sollte|sollten|muss|darf|gibt|ist|sind|hast|hat|bist|weißt|würdest|bin ich|habe ich|magst|willst|machst)"
)
GERMAN = Language(
    code="de",
    on=True,
    words=word_set(
        "ich mein meine meinen meinem meiner mir mich bin habe hab und der das ein eine einen einem einer nicht kein keine "
        "ist für mit auf aus bei wir"
        " wohne lebe arbeite heiße komme mag liebe esse spreche lerne unser unsere dass merk bitte wie sich auch zu nach nenn "
        "nennt den dem des von vom zum zur im am um aber oder wenn weil sehr gern gerne noch schon mal man du dein deine bist "
        "hast wird werden war über unter ohne bis durch jetzt seit hier alle ja nein etwas nur als wäre hätte in will an so "
        "was die hat war man bald möchte kann muss"
    ),
    guard=Guard(
        about_a_text=re.compile(
            r"(?i)\b(?:übersetz\w*|korrigier\w*|korrektur (?:von|des|der|meine)\w*|zusammenfass\w*|fass\w* .{0,30}zusammen"
            r"|umformulier\w*|formulier\w* .{0,30}um|verbesser\w* (?:diesen|den|meinen|die)"
            r"|grammatik|rechtschreib\w*|(?:hier ist|das ist|folgende[rn]?|diese[rn]?|meine?[nm]?) (?:ein |der |die |mein "
            r"|eine )?(?:text|brief|e-?mail|mail|nachricht|satz|sätze"
            r"|artikel|entwurf|bewerbung|anschreiben|aufsatz|absatz)|beispielsätze?|wie sagt man|was bedeutet|indirekte\w* "
            r"rede|vergleich\w* (?:diese|die))\b"
        ),
        invented=re.compile(
            r"(?i)\b(?:stell dir vor|stellen sie sich vor|angenommen|nehmen wir an|nimm an|mal angenommen|tu so|tun wir so"
            r"|spiel(?:en wir|t|e)?\b[^.]{0,20}\brolle|rollenspiel\w*"
            r"|du bist (?:ein|eine|jetzt|nun|mein)|was wäre wenn|hypothetisch\w*|in (?:meinem|dem|der|diesem|meiner) (?:roman"
            r"|traum|spiel|geschichte|buch|film|szenario|beispiel|übung)"
            r"|ignorier\w* (?:alle|deine)|(?:füge?|speicher\w*|schreib\w*|nimm|trag\w*) [^.]{0,40}(?:gedächtnis|erinnerung\w*"
            r"|speicher|profil)"
            r"|(?<!ich )(?:schreibe?|erzähle?|verfasse?|dichte|erfinde?|mache?|erzählst"
            r"|schreibst)\b[^.?!\n]{0,40}\b(?:geschichte|gedicht|lied|song|szene|dialog|roman|witz|märchen|rede|rap|sketch"
            r"|steckbrief|beispiel\w*)"
            r"|(?:ki|assistent\w*|chatbots?) (?:muss|müssen|soll|sollen)|als ob|für diese (?:übung|aufgabe))\b"
            r"|\b(?:mail|e-mail|brief|text|nachricht|anzeige|artikel|schild|buch|zettel|sms|sprecher|erzähler) (?:steht"
            r"|lautet|sagt|heißt es)[^:\n]{0,20}:"
            r"|\b(?:in der|im|auf dem) (?:mail|e-mail|brief|text|nachricht|anzeige|artikel|zettel) steht\b"
            r"|\b(?:sagte?|meinte?|schrieb|schreibt|antwortete?|erzählte?|fragte?|rief)\b[^:.\n]{0,30}:"
        ),
        composing=re.compile(
            r"(?i)^\W*(?:(?:bitte|kannst du|könntest du|munin|hey|jetzt|dann|ok|und)[\s,]+)*(?:schreibe?|verfasse?|erstelle?"
            r"|generiere?|mach|wiederhole?|antworte?|speichere?|füge?|ergänze?|spiele?"
            r"|ignoriere?|sag|sage|nenne?(?! mich)|gib|vergiss(?! nicht)|erkläre?|zeig|rechne?|such)\b"
        ),
        question=re.compile(rf"(?i)^\W*(?:(?:hallo|hi|hey|und|aber|also|ok|bitte|munin)[\s,]+)*{_QUESTION}\b"),
        question_within=re.compile(
            rf"(?i)(?:[,;:–—]|\s-)\s*(?:(?:und|aber|oder|also)\s+)?(?:{_QUESTION}|hast|kennst|habt|any)\b|\b(?:und|aber"
            rf"|oder)\s+{_QUESTION}\b"
        ),
        condition=re.compile(
            r"(?i)\b(?:wenn|falls|ob|wäre?n?|hätten?|würden?(?! gern)|könnten?|sollten?|vielleicht|eventuell|womöglich"
            r"|wünschte|träumte|wohnen würde|müsste|dürfte"
            r"|nicht sicher|angeblich|scherz|spaß|war nur|früher|damals|(?:er|sie|man|alle|leute|mutter|vater|chef|freund"
            r"|freundin|bruder|schwester|oma|opa|mein\w* \w+) (?:immer |oft )?(?:sagt|sagte|meint|meinte|denkt|dachte"
            r"|glaubt|glaubte|behauptet|findet)|laut (?:meiner|meinem))\b"
        ),
        clause_end=re.compile(r"(?i)[,;:()–—]|\s-\s|\b(?:und|aber)\b"),
        introduction=re.compile(
            "(?i)(?:\\b(?:mir|mich|info|kontext|hintergrund|übrigens|korrektur|update|nachtrag|vorstellung|merk\\w*|dir|bitte"
            "|daran|name|alter|beruf|hobbys?|hallo|hi|ja|nein|also|nicht|fakten|kurz|wahrheit|ps|notiere?|lieblings\\w+"
            "|situation))\\s*$"
        ),
        asks_for_source=re.compile("(?i)\\b(?:gesagt|gesungen|geschrieben|lied|film|buch|zitat|song|satz|grammatik)\\b"),
        contrast=re.compile(r"(?i)\baber (?=(?:jetzt|nun|ich|heute|mittlerweile)\b)|[,;] jetzt (?=\w+ ich\b)"),
    ),
    splitter=Splitter(
        lead=re.compile(
            r"(?i)\s*(?:(?:hallo|hi|hey|moin|servus|grüezi|guten (?:tag|morgen|abend)|zusammen|übrigens|also|ja|nein|nee|doch"
            r"|und|aber|weil|denn|da|dass|ach|ok|okay|danke|bitte|munin"
            r"|zur info|kurz zu mir|über mich|zu mir|btw|eigentlich|im moment|momentan|zurzeit|derzeit|aktuell|gerade|jetzt"
            r"|nun|letztes jahr|letzten monat|vor \w+ (?:jahren|monaten|wochen)"
            r"|seit (?:\w+ )?(?:\w+ (?:jahren|monaten)|\d{4}|kurzem|langem)|in meiner freizeit|in der freizeit|von beruf|als "
            r"(?:info|hinweis|kontext)|stimmt nicht|falsch|das ist falsch|korrektur"
            r"|ehrlich gesagt|leider|zum glück|außerdem|natürlich|inzwischen|mittlerweile|ich wollte (?:nur )?sagen|du "
            r"(?:musst|solltest) wissen|wie gesagt|obwohl|generell|grundsätzlich|hauptberuflich|beruflich|privat"
            r"|(?:(?:bitte )?(?:merk|merke) dir(?: bitte)?|denk daran|vergiss (?:bitte )?nicht|behalte? (?:bitte )?im kopf"
            r"|notiere?(?: dir)?(?: bitte)?)(?:,? dass)?)\b[\s,:;!.\x00-]*)*"
        ),
        remember=re.compile(
            r"(?i)\b(?:(?:bitte )?(?:merk|merke) dir(?: bitte)?|denk daran|vergiss (?:bitte )?nicht|behalte? (?:bitte )?im "
            r"kopf|notiere?(?: dir)?(?: bitte)?)\s*(?:[,:]|,? dass\b)\s*(?:dass\s+)?(?!zu\b|du\b|dein)"
        ),
        next=re.compile(
            r"(?i)(?:\s*[,;:()–—!.\n]\s*|\s+-{1,2}\s+|\s+(?=(?:und|aber|denn|weil|da|obwohl|sondern)\b))(?:(?:und|aber|denn"
            r"|weil|da|obwohl|sondern)\s+)?"
            r"(?:(?P<subject>(?=(?:ich|mein|meine|unser|unsere|wir|er|sie|du|dein|deine|kannst|was|wie|wo|welche\w*|nenn|merk"
            r"|am liebsten|jetzt \w+ ich|man|freunde)\b))"
            r"|(?P<verb>(?=(?:bin|habe|hab|wohne|lebe|arbeite|komme|stamme|heiße|heisse|liebe|mag|hasse|esse|trinke|spreche"
            r"|lerne|studiere|spiele|schreibe|ernähre|sammle|vertrage|unterrichte)\b))"
            r"|(?P<complement>(?=(?:\d{1,3}(?:\s+jahre|\s*$|\s*,|\s+und\b)|verheiratet\b|geschieden\b|ledig\b|verwitwet\b|aus "
            r"[A-ZÄÖÜ]|vegetarier|veganer|vegan\b|von beruf\b))))"
        ),
        verb="ich ",
        complement="ich bin ",
        takes_verb=re.compile(r"(?i)(?:ich|bin|habe|wohne|arbeite|wir|\w+e ich|heiße|komme)\b"),
        takes_complement=re.compile(r"(?i)(?:\d\d\b|ich bin|bin|ich heiße|heiße|mein name ist)\s"),
        unreal=re.compile(
            r"(?i)(?:ich|wir)\b[^,]*?\b(?:möchte|will|würde|hätte|wäre|wollte|plane|hoffe|versuche|nicht mehr|nie)\b"
        ),
        reordered=(
            (re.compile(r"(?i)^(?=\d{1,3}(?:$|\s+jahre)|allergisch gegen|vegetarier|veganer)"), "ich bin "),
            (re.compile(r"(?i)^([a-zäöüß]+e|bin|hab|mag|kann|will) (ich|wir)\b"), r"\2 \1"),
            (
                re.compile(
                    r"(?i)^ich (.+?) (bin|wohne|lebe|habe|arbeite|esse|mag|liebe|komme|heiße|spreche|studiere|trinke|hasse"
                    r"|vertrage|lerne)(?:,.*)?$"
                ),
                r"ich \2 \1",
            ),
            (re.compile(r"(?i)^(von beruf) (.+)$"), r"ich bin \2"),
        ),
    ),
    rules=rules(TABLE, cased=frozenset({"bare", "kin", "kin named"})),
    first_person=re.compile(r"(?i)\b(?:ich|mein\w*|mir|mich|wir|unser\w*|bin|habe)\b"),
    somebody=re.compile(rf"(?i)\b(?:er|sie|ihr|sein\w*|{_KIN}|kinder|eltern|leute|man)\b"),
    transient=W.transient,
    note=_note,
    describe=describer(TABLE),
)
