"""Rules for what the speaker eats, suffers from, works on and wants. English."""

import re

from munin_app.profile.english.notes import conjugate
from munin_app.profile.english.patterns import DATE, END, I_AM, I_NOT, WE, WE_ARE
from munin_app.profile.english.values import lasting, third_person, tidy
from munin_app.profile.english.vocabulary import LANGUAGES, OCCUPATIONS
from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, rule, said

_REGIMES = (
    r"(?:vegetarian|vegeterian|vegitarian|vegan|pescatarian|pescetarian|flexitarian|fruitarian|lactose[ -]intolerant"
    r"|gluten[ -]intolerant|gluten[ -]free"
    r"|dairy[ -]free|coeliac|celiac|diabetic|prediabetic|teetotal|keto|halal|kosher)"
)
_DIETS = rf"(?:{_REGIMES}|a teetotall?er|on (?:an?|the) [\w-]+(?: [\w-]+){{0,2}} diet|on keto|intolerant to \w+(?: \w+)?)"
_CONDITIONS = (
    r"(?:asthma|diabetes|type [12] diabetes|epilepsy|adhd|add|dyslexia|autism|arthritis|migraines|chronic migraines|chronic pain"
    r"|high blood pressure|hypertension|a heart condition|coeliac disease|celiac disease|ibs|crohn's(?: disease)?|tinnitus"
    r"|colou?r blindness|insomnia|anxiety|depression|ocd|ptsd|bipolar disorder|fibromyalgia|hypothyroidism|hay fever|eczema"
    r"|psoriasis"
    r"|endometriosis|pcos|scoliosis|sleep apnea|glaucoma|lupus|ms|multiple sclerosis|vertigo|parkinson's|hemophilia|sciatica"
    r"|osteoporosis"
    r"|severe anxiety|a (?:bad|weak|fused) (?:back|knee|hip|shoulder)|bad knees|a pacemaker|a prosthetic \w+|sensitive skin|a "
    r"stutter)"
)
_BEING = (
    r"(?:left-handed|right-handed|left handed|a lefty|ambidextrous|colou?r[- ]?blind|deaf|hard of hearing|legally blind"
    r"|dyslexic|autistic"
    r"|neurodivergent|short-sighted|nearsighted|a wheelchair user|an insomniac|trans|gay|bisexual|a lesbian|nonbinary"
    r"|non-binary|christian"
    r"|catholic|protestant|(?:greek |russian |eastern )?orthodox|mormon|quaker|lutheran|baptist|methodist|pagan|jain|muslim"
    r"|jewish|hindu|buddhist|sikh|an atheist|atheist|agnostic|a muslim|a christian|a catholic|an? "
    r"\w+ buddhist)"
)
_TRANSIENT_WORK = re.compile(
    r"(?i)\b(?:error|bug|issue|problem|ticket|task|exercise|question|function|script|query|file|email|e-mail"
    r"|spreadsheet|code|part|section|thing|stuff|something|answer|reply|homework|assignment|report|presentation|slides?|deadline"
    r"|letter|resume|cv|essay)s?$"
)
_LASTING_WISHES = (
    r"(?:learn|become|run (?:an?|my|for|the)|lose|gain|quit|stop|start (?:an?|my|going|eating|running|exercising|working)"
    r"|open (?:an?|my)"
    r"|move (?:to|abroad|back|out)|write (?:an?|my) (?:\w+ )?(?:book|novel|memoir|thesis|screenplay|musical)|get (?:fit"
    r"|better|into"
    r"|in shape|healthier|promoted|married|stronger|my|fluent|a (?:dog|cat|degree|promotion|phd|master's|license|licence|job in))"
    r"|improve my|save|master|retire|own|build (?:a|my)|travel|visit|climb|sail|live in|cut (?:down|back|out)|switch|go back "
    r"to|pay off"
    r"|be (?:an?|more|fluent|able to)|publish|self-publish|finish my|graduate|study|work (?:as|in|for|abroad|out)|adopt|foster"
    r"|eat (?:less|more|healthier|better)|exercise|read (?:more|\w+ books)|buy (?:a|my) (?:\w+ )?(?:house|home|boat|flat"
    r"|apartment|farm|van)"
    r"|hike|cycle|bike|swim|launch|apply to|pass (?:my|the)|speak|emigrate|immigrate|volunteer|train (?:to|as|for)|compete"
    r"|qualify|see the northern lights|win|record|perform|sing|invest|grow|sleep (?:more|better)|drink (?:less|more)|make "
    r"(?:a|my) (?:\w+ )?(?:film"
    r"|game|album|movie))\b"
)
_SOON = re.compile(
    r"(?i)\b(?:soon|next (?:week|month|weekend)|later|this (?!year|summer|winter|spring|autumn|fall|decade)|for (?:\w+ "
    r")?(?:dinner|lunch|breakfast)|weekend)\b"
)
_PROJECTS = (
    r"(?:book|novel|novella|memoir|thesis|dissertation|phd|house|home|boat|cabin|game|app|business|startup|start-up|album"
    r"|film|saga|series"
    r"|documentary|podcast|blog|car|garden|robot|opera|symphony|company|website|church|farm|farmhouse|cottage"
    r"|apartment|flat|barn"
    r"|attic|basement|bathroom|shed|treehouse|tree house|deck|van|camper|motorcycle|bike|guitar|synth|synthesi[sz]er"
    r"|telescope|drone"
    r"|library|engine|compiler|language|bot|tool|plugin|platform|newsletter|channel|comic|graphic novel|screenplay|musical"
    r"|cookbook"
    r"|collection|exhibition|quilt|sculpture|mural|model|railway|computer|keyboard|tiny house|greenhouse|pond|brewery|café"
    r"|cafe|shop"
    r"|bakery|charity|non-?profit|database|dashboard|simulator|trilogy|play|textbook|family tree|boat|canoe|kayak|server"
    r"|homelab|poems|stories)"
)


def _food(value: str) -> str | None:
    value = tidy(value)
    first = value.split()[0].lower() if value else ""
    refused = {
        "it", "that", "this", "these", "those", "them", "there", "here", "much", "until", "before", "after", "when", "at", "out",
        "in", "on", "the", "enough", "well", "with", "for", "like", "anything", "yet", "breakfast", "lunch", "dinner", "today",
        "because", "so", "a", "as", "if", "to", "from", "you", "him", "her", "your",
    }  # fmt: skip
    return None if not value or first in refused or len(value.split()) > 14 else lasting(value)


def _diet_not(match: re.Match[str]) -> Description | None:
    value = _food(match["value"])
    if not value:
        return None
    said_it = match.group().lower()
    negation = "Cannot" if re.search(r"\bcan(?:'t|t|not| not)\b", said_it) else "Never" if "never" in said_it else "Does not"
    verb = match["verb"].lower() + ("s" if negation == "Never" else "")
    return Description(f"{negation} {verb} {value}", "diet", value)


def _plain(match: re.Match[str]) -> Description:
    value = re.sub(r"(?i)^an? (?=vegetarian|vegan|pesc|flex|diab)", "", match["value"].lower())
    return Description(f"Is {value}", "diet", value)


def _before_a_job(match: re.Match[str]) -> Description | None:
    """ "a vegetarian nurse" is vegetarian, and the job is the job rule's."""
    value = match["value"].lower()
    return Description(f"Is {value}", "diet", value) if match["person"].lower() in OCCUPATIONS | _ANYBODY else None


_ANYBODY = {"man", "woman", "guy", "girl", "person", "mother", "father", "mom", "mum", "dad", "household", "family", "couple"}


def _project(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    head = re.split(r"(?i)\s+(?:about|for|on|in|with|that|of|at|to)\b", value)[0] if value else ""
    if not value or _TRANSIENT_WORK.search(head):
        return None
    return Description(f"Is {match['verb'].lower()} {value}", "project", value)


def _goal(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    if not value or re.search(
        r"(?i)\b(?:more about|how (?:to fix|this|that))\b|^learn (?:about|more|what|why|if|the basics)\b", value
    ):
        return None
    return None if _SOON.search(value) else Description(f"Wants to {value}", "goal", value)


def _learning(match: re.Match[str]) -> Description | None:
    """Languages are the language rule's."""
    value = lasting(match["value"])
    first = value.split()[0].lower() if value else ""
    if not value or first in LANGUAGES | {"a", "about", "from", "more", "the", "new", "that", "so", "how"}:
        return None
    return Description(f"Is learning {value}", "goal", value)


def _wears(value: str) -> str:
    first, _, rest = value.partition(" ")
    return f"{first.capitalize()}s {third_person(rest)}"


def _owning(match: re.Match[str]) -> Description:
    return Description(f"{conjugate(match['verb']).capitalize()} {match['value']}", "note", match["value"])


def _belonging(match: re.Match[str]) -> Description | None:
    value = tidy(match["value"])
    return Description(f"{match['who'].capitalize()} is {value}", "note", value) if value else None


def _belonging_project(match: re.Match[str]) -> Description | None:
    value = lasting(match["value"])
    return Description(f"{match['who'].capitalize()} is about {value}", "project", value) if value else None


RULES: tuple[Rule, ...] = (
    rule(
        "diet",
        r"(?P<value>(?!no\b|my\b|the\b|his\b|her\b)(?:\w+ ){1,2}(?:allergy|intolerance))(?: here\b|$|,)",
        said("diet", "Has {}", str.lower),
    ),
    rule(
        "diet",
        r"(?P<value>(?!this|that|it|he|she|they|you|what)\w+(?: \w+)?) (?:makes? me (?:sick|ill|bloated)|gives? me (?:hives|a "
        r"rash|migraines|heartburn))",
        lambda match: Description(f"Gets sick from {match['value'].lower()}", "diet", match["value"].lower(), certain=False),
    ),
    rule("diet", rf"{WE_ARE}(?P<value>(?:an? )?(?:strict |lifelong |committed |devout |ethical )?{_DIETS}){END}", _plain),
    rule("diet", rf"(?:as|being) (?P<value>an? (?:\w+ )?{_REGIMES})(?=\s*(?:,|$| i\b| i'm\b| my\b))", _plain),
    rule(
        "diet",
        rf"(?:{I_AM}|as )an? (?:[\w-]+ ){{0,2}}?(?P<value>{_REGIMES}) (?:[\w-]+ ){{0,2}}?(?P<person>[a-z]+){END}",
        _before_a_job,
    ),
    rule(
        "diet",
        rf"(?:i've|ive|i have|we've|we have) (?:been|gone|turned) (?:an? )?(?P<value>{_REGIMES})\b",
        said("diet", "Is {}", str.lower),
    ),
    rule("diet", rf"{WE}(?:went|became|turned) (?:an? )?(?P<value>{_REGIMES})\b", said("diet", "Is {}", str.lower)),
    rule(
        "diet",
        r"(?:my (?:doctor|dietician|dietitian|gp|nutritionist) (?:has |just )?(?:put|placed) me on|i've been put on) "
        r"(?P<value>an? .*?diet)\b",
        said("diet", "Is on {}", tidy),
    ),
    rule(
        "diet",
        rf"{WE}(?:follow|adhere to|stick to|eat|keep to|maintain|prioriti[sz]e|am following) (?P<value>(?:an? |the "
        rf")?(?:[\w-]+,? ){{1,5}}diet)\b",
        said("diet", "Follows {}", str),
    ),
    rule(
        "diet",
        rf"{WE_ARE}(?:severely |deathly |highly |very |mildly |badly )?al+ergic to (?P<value>.+)",
        said("diet", "Is allergic to {}", _food),
    ),
    rule("diet", r"my allergies are (?P<value>.+)", said("diet", "Is allergic to {}", _food)),
    rule(
        "diet",
        rf"(?:i have|i've got|i suffer from) (?P<value>an? (?:severe |bad |serious |mild )?[\w-]+(?: [\w-]+)? (?:allergy"
        rf"|intolerance)){END}",
        said("diet", "Has {}", tidy),
    ),
    rule("diet", r"(?:i have|i've got) (?P<value>an? (?:severe |bad |mild )?allergy to .+)", said("diet", "Has {}", tidy)),
    rule("diet", rf"{I_NOT}(?P<verb>eat|drink|consume|touch) (?P<value>.+)", _diet_not),
    rule(
        "diet",
        r"(?:i|we) (?:can't|cant|cannot|don't|dont|do not) (?P<verb>have|do|digest|tolerate) (?P<value>(?:dairy|gluten"
        r"|lactose|nuts|peanuts|shellfish|milk|eggs|wheat"
        r"|sugar|alcohol|caffeine|seafood|soy|fish|meat|pork|beef|spicy food|onions|garlic)\b.*)",
        _diet_not,
    ),
    rule("diet", rf"(?:i|we) (?:don't|dont|do not|never) (?P<value>drink|smoke){END}", said("diet", "Does not {}", str.lower)),
    rule(
        "diet",
        r"(?:i've|i have|i) (?:stopped|quit|gave up|given up|cut out) (?:eating |drinking )?(?P<value>(?:meat|dairy|sugar"
        r"|alcohol|gluten|"
        r"coffee|caffeine|drinking|carbs|red meat|pork|smoking)\b)",
        said("diet", "Has given up {}", str.lower),
    ),
    rule(
        "diet",
        rf"{WE}(?:eat|keep) (?P<value>(?:\w+ )?(?:halal|kosher|vegan|vegetarian|gluten-free|gluten free|keto|paleo"
        rf"|plant-based)){END}",
        said("diet", "Eats {}", tidy),
    ),
    rule("diet", r"(?:i|we) only eat (?P<value>.+)", said("diet", "Only eats {}", _food)),
    rule(
        "health",
        rf"(?:i have|i've got|i suffer from|i was (?:recently )?diagnosed with|i've been diagnosed with|i live with) "
        rf"(?P<value>{_CONDITIONS}){END}",
        said("note", "Has {}", tidy),
    ),
    rule("health", rf"{I_AM}(?P<value>{_BEING}){END}", said("note", "Is {}", tidy)),
    rule(
        "health",
        r"i (?P<value>wear (?:glasses|contact lenses|contacts|hearing aids|a hearing aid)|use a (?:wheelchair|cane|walker"
        r"|cpap)\b.*)",
        lambda match: Description(_wears(match["value"]), "note", match["value"]),
    ),
    rule(
        "project",
        rf"{WE_ARE}(?:in the middle of |busy |in the process of |halfway through )?(?P<verb>working on) (?P<value>(?:my|our"
        rf"|an?) .+)",
        _project,
    ),
    rule(
        "project",
        rf"(?:{WE_ARE}|(?:i've|ive|i have|we've|we have) been )(?:in the middle of |busy |in the process of |halfway through "
        rf")?(?P<verb>writing|building|renovating|restoring|developing|making|recording|running|designing|composing|coding"
        rf"|creating"
        r"|launching|starting|setting up|remodel+ing|converting|directing|co-writing|hosting|producing|programming|sewing"
        r"|growing|fixing up"
        r"|illustrating|editing|shooting|filming|publishing|planting|knitting|crocheting|carving|painting|brewing|compiling"
        r"|translating) "
        rf"(?P<value>(?:my|our|an?) (?:(?!error|bug)[\w'-]+ ){{0,4}}?{_PROJECTS}\b.*)",
        _project,
    ),
    rule(
        "project",
        r"my (?:current |main |latest |big )?(?:side )?(?:project|hobby project|side hustle) is (?P<value>(?!broken|due|late"
        r"|not)(?:an?|\w+ing|the) .+)",
        said("project", "Project is {}", lasting),
    ),
    rule(
        "project",
        rf"{WE_ARE}(?P<verb>training for|preparing for|studying for|rehearsing for) (?P<value>.+)",
        _project,
    ),
    rule(
        "project",
        r"(?:i|we) (?P<verb>run|host|write|produce|have) (?P<value>an? (?:\w+ )?(?:podcast|blog|channel|newsletter|webcomic"
        r"|fanzine) (?:about|on) .+)",
        lambda match: Description(
            f"{conjugate(match['verb']).capitalize()} {tidy(match['value'])}", "project", tidy(match["value"])
        ),
    ),
    rule("goal", rf"{WE_ARE}saving (?:up )?for (?P<value>.+)", said("goal", "Is saving for {}", lasting)),
    rule("goal", rf"{WE_ARE}learning (?P<value>.+)", _learning),
    rule(
        "goal",
        rf"(?:(?:one day|someday|eventually|ultimately),? )?(?:{WE}(?:want|wanna|hope|plan|aim|intend|would like|would love"
        rf"|dream)|(?:i'd|id) "
        rf"(?:like|love|really like|really love)|{WE_ARE}(?:hoping|planning|trying|determined|aiming))(?: someday| one day| "
        rf"eventually)? ?(?:to)?"
        rf" (?P<value>{_LASTING_WISHES}.*)",
        _goal,
    ),
    rule(
        "goal",
        r"my (?:\w+ )?(?:goal|dream|ambition|aim|life goal|plan|new year'?s resolution|resolution)(?: in life| this year| for "
        r"\w+(?: \w+)?)?"
        r"(?: is|'s)(?: to)? (?P<value>(?!that|for|not|about|the|a |an )(?!\w+ing).+)",
        _goal,
    ),
    rule("goal", r"(?:i've always wanted|i have always wanted) to (?P<value>.+)", _goal),
    rule("goal", rf"(?:{WE}dream of|{I_AM}dreaming of) (?P<value>\w+ing .+)", said("goal", "Dreams of {}", lasting)),
    rule(
        "diet",
        r"(?P<value>(?!this|that|it|he|she|they|you|what|your|the )\w+(?: \w+)?) (?:doesn't|does not|don't|do not) agree with me",
        said("diet", "Does not tolerate {}", str.lower),
    ),
    rule(
        "diet",
        rf"{WE_ARE}watching my (?P<value>carbs|sugar|sugar intake|calories|cholesterol|salt|sodium)",
        said("diet", "Is watching their {}", str.lower),
    ),
    rule(
        "health",
        rf"{I_AM}(?P<value>in a wheelchair|a recovering alcoholic|in recovery|a cancer survivor|hard of hearing)\b",
        said("note", "Is {}", str.lower),
    ),
    rule(
        "possession",
        r"i (?P<verb>drive|ride|own) (?P<value>an? (?:\d{4} |\w+ ){0,2}[A-Z][\w-]+(?: [\w-]+)?)$",
        _owning,
        cased=True,
    ),
    rule(
        "possession",
        r"(?i:i (?:don't|dont|do not) (?:have|own) )(?P<value>a car|a tv|a television|a smartphone|a driver's license|a "
        r"driving licence|a dishwasher|an oven|a garden)",
        said("note", "Does not have {}", str.lower),
        cased=True,
    ),
    rule(
        "note",
        r"my (?P<who>car|bike|phone|laptop|camera|computer|van|truck|boat) is (?P<value>an? (?:\d{4} |[\w-]+ ){0,3}(?:[A-Z]"
        r"|i[A-Z])[\w-]*(?: [\w-]+)?)$",
        _belonging,
        cased=True,
    ),
    rule("note", rf"my (?:wedding )?anniversary(?:'s| is)(?: on)? (?P<value>{DATE})", said("note", "Anniversary is {}", str)),
    rule("note", r"my (?P<who>blood type|shoe size|star sign|zodiac sign|pronouns) (?:is|are) (?P<value>.+)", _belonging),
    rule(
        "project",
        r"my (?:phd |master'?s |bachelor'?s )?(?P<who>thesis|dissertation|book|novel|research|podcast|blog|phd) is (?:about"
        r"|on) (?P<value>.+)",
        _belonging_project,
    ),
    rule(
        "project",
        rf"{WE_ARE}(?P<verb>planning|organi[sz]ing) (?P<value>(?:my|our|an?) (?:\w+ )?(?:wedding|charity \w+|festival"
        rf"|conference|move|expedition|retreat|exhibition|concert|reunion)\b.*)",
        _project,
    ),
    rule(
        "project",
        rf"(?:i've|i have|i|we) (?:just |recently )?(?P<verb>started) (?P<value>(?:my|our|an?) (?:\w+ )?{_PROJECTS}\b.*)",
        lambda match: Description(f"Has started {third_person(tidy(match['value']))}", "project", tidy(match["value"])),
    ),
    rule("goal", rf"(?:i've|i have|i) decided to (?P<value>{_LASTING_WISHES}.*)", _goal),
    rule("diet", r"(?:i|we) (?:don't|dont|do not) do well with (?P<value>.+)", said("diet", "Does not tolerate {}", _food)),
    rule(
        "health",
        r"(?:i have|i've got) (?P<value>celiac|coeliac|ibs|lactose intolerance|gluten intolerance)\b",
        said("diet", "Has {}", str.lower),
    ),
    rule(
        "project",
        rf"{WE_ARE}(?P<verb>putting together|restoring|rebuilding|repairing) (?P<value>(?:my|our|an?) (?:[\w']+ "
        rf"){{0,3}}{_PROJECTS}\b.*)",
        _project,
    ),
    rule(
        "project",
        r"(?:my|our) (?:band|team|startup|company|choir|group) is (?P<verb>recording|making|building|producing|developing) "
        r"(?P<value>an? .+)",
        _project,
    ),
)
