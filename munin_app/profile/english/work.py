"""Rules for what the speaker does for a living: job, studies, employer. English."""

import re

from munin_app.profile.english.notes import conjugate
from munin_app.profile.english.patterns import (
    END,
    I_AM,
    WE,
    WE_ARE,
)
from munin_app.profile.english.values import third_person, tidy
from munin_app.profile.english.vocabulary import (
    BUSINESSES,
    LANGUAGES,
    NATIONALITIES,
    NO_NAME,
    OCCUPATIONS,
    WORK_FIELDS,
    WORKPLACES,
)
from munin_app.profile.findings import Description
from munin_app.profile.rule import Rule, fixed, rule, said
from munin_app.profile.words import word_set

_AFTER_JOB = re.compile(
    r"\s+(?:at|for|in|with|from|on|by|near|over|based|working|speciali[sz]\w+|and|or|here|that|to|living|of|when|where|right"
    r"|now|these)\b|/"
)


_AFTER_EMPLOYER = re.compile(
    r"\s+(?:as|and|with|since|where|for|from|right|every|all|on|doing|full-time|part-time|these|now|now)\b"
)


_AFTER_SUBJECT = re.compile(
    r"\s+(?:at|in|on|for|with|about|called|that|which|and|every|all|from|right|when|to|here|these|now|full-time|part-time|as)\b"
)


_JOB_ENDING = re.compile(r"(?:olog(?:ist|er)|ographer|ician|wright|smith|keeper|iatrist|monger|herder)$")


_OF_LANGUAGES = {"teacher", "tutor", "translator", "interpreter", "student", "professor", "lecturer", "instructor", "chef"}


_NO_PART_OF_A_JOB = NATIONALITIES | word_set(
    """
    vegetarian vegan pescatarian married divorced single widowed happy proud new young old middle-aged diabetic busy simple humble
    passionate dedicated lifelong female male gay lesbian trans queer black white christian muslim jewish local
    """
)


_FIELD_END = re.compile(r"\s+(?:at|for|in|as|with|near|here|and|on|from|mostly|now|so)\b")


_NO_SUBJECT = word_set(
    "hard a an the my this that it every all better more best alone too abroad here for at in from them him her you people"
)


_NO_JOB = NO_NAME - OCCUPATIONS | {"team", "result", "whole", "rule", "kid", "child", "favour", "favor", "joke", "test"}


def _job(value: str, *, any_noun: bool = False) -> str | None:
    """The phrase up to its occupation: "34-year-old nurse at a clinic" is "nurse"."""
    words = re.sub(r"^\d+[- ]years?[- ]old\s+", "", _AFTER_JOB.split(tidy(value))[0]).split()
    if not 1 <= len(words) <= 5:
        return None
    last = words[-1].lower()
    if not _is_occupation(last) and not (any_noun and last not in _NO_JOB):
        return None
    while len(words) > 1 and words[0].lower() in _NO_PART_OF_A_JOB and last not in _OF_LANGUAGES:
        words = words[1:]
    return " ".join(words)


def _is_occupation(word: str) -> bool:
    return word in OCCUPATIONS or word.split("-")[-1] in OCCUPATIONS or bool(_JOB_ENDING.search(word))


def _works_as(match: re.Match[str]) -> Description | None:
    """After "work as a": any noun; without an article only what is known as an occupation."""
    job = _job(match["value"], any_noun=match["article"].lower() in ("a ", "an "))
    return Description(f"Works as {_article(match, job)}{job}", "job", job) if job else None


def _works_as_known(match: re.Match[str]) -> Description | None:
    job = _job(match["value"])
    return Description(f"Works as {_article(match, job)}{job}", "job", job) if job else None


def _is_a(match: re.Match[str]) -> Description | None:
    job = _job(match["value"])
    return Description(f"Is {_article(match, job)}{job}", "job", job) if job else None


def _article(match: re.Match[str], job: str | None) -> str:
    article = match["article"].lower().strip()
    return "" if not article else "the " if article == "the" else "an " if job and job[0].lower() in "aeiou" else "a "


def _employer(value: str) -> str | None:
    """A name, or a kind of workplace: "Siemens", "a hospital in Bergen"; None for "home", "night"."""
    words = _AFTER_EMPLOYER.split(tidy(value))[0].split()
    head = words[1:] if words and words[0].lower() in ("a", "an", "the") else words
    if not head or len(words) > 7 or head[0].lower() in ("i", "home", "night", "christmas", "monday", "sunday"):
        return None
    return " ".join(words) if head[0][0].isupper() or _is_workplace(head) else None


def _is_workplace(words: list[str]) -> bool:
    homes = re.match(r"(?i)(?:\w+ )?(?:nursing|care|retirement|funeral) home|call cent|post office|law firm", " ".join(words))
    return bool(homes) or any(word.lower().rstrip("s") in WORKPLACES for word in words[:3])


def _employed(match: re.Match[str]) -> Description | None:
    """ "I'm an engineer at Siemens"."""
    workplace = _employer(match["value"])
    return Description(f"Works at {workplace}", "employer", workplace) if workplace and _job(match["job"]) else None


def _employed_there(match: re.Match[str]) -> Description | None:
    """ "the head chef at a bistro", "in sales at Oracle"."""
    workplace = _employer(match["value"])
    known = _job(match["job"]) or match["job"].split()[-1].lower() in WORK_FIELDS
    return Description(f"Works at {workplace}", "employer", workplace) if workplace and known else None


def _works_in(match: re.Match[str]) -> Description | None:
    words = tidy(match["value"]).split()
    if words and words[0].lower() in ("a", "an", "the"):
        workplace = _employer(match["value"])
        return Description(f"Works in {workplace}", "employer", workplace) if workplace and words[1].islower() else None
    field = _FIELD_END.split(tidy(match["value"]))[0]
    last = field.split()[-1].lower() if field and len(field.split()) <= 4 else ""
    known = last in WORK_FIELDS and field not in ("it", "It")
    return Description(f"Works in {field}", "job", field) if known else None


def _subject(value: str) -> str | None:
    """What somebody studies or teaches; languages are the language rule's."""
    words = _AFTER_SUBJECT.split(tidy(value))[0].split()
    refused = not words or len(words) > 4 or words[0].lower() in _NO_SUBJECT | LANGUAGES or words[0].lower().endswith("ly")
    return None if refused else " ".join(words)


def _study(value: str) -> str | None:
    """ "a PhD in marine biology"; where, is the employer's rule."""
    value = third_person(re.split(r"\s+(?:at|from|with|while|right)\b", tidy(value))[0])
    return value if 1 < len(value.split()) <= 9 else None


def _school(value: str) -> str | None:
    value = tidy(value)
    known = re.search(r"(?:University|College|School|Academy|Institute|Uni|Polytechnic|[A-Z]{3,5})\b", value)
    return _employer(value) if known else None


def _does(match: re.Match[str]) -> Description | None:
    value = match["value"].strip()
    return Description(f"{conjugate(match['verb']).capitalize()} {value}", "job", value)


def _business(match: re.Match[str]) -> Description | None:
    words = _AFTER_SUBJECT.split(tidy(match["value"]))[0].split()
    if not 2 <= len(words) <= 6 or words[-1].lower() not in BUSINESSES:
        return None
    value = re.sub(r"(?i)^my (?:own )?", "a ", " ".join(words))
    return Description(f"{match['verb'].capitalize()}s {value}", "job", value)


RULES: tuple[Rule, ...] = (
    rule(
        "job",
        rf"{WE}work (?:from home |remotely |part[- ]time |full[- ]time |nights |freelance |mostly )?as (?P<article>an? |the "
        rf"|)(?P<value>.+)",
        _works_as,
    ),
    rule("job", rf"{I_AM}(?:working|employed) as (?P<article>an? |the |)(?P<value>.+)", _works_as),
    rule("job", rf"{I_AM}(?P<article>an? |the )(?P<value>.+)", _is_a),
    rule("job", r"(?:as|being) (?P<article>an? )(?P<value>[\w -]+?)(?=,| (?:i|i'm|my|we|it)\b|$)", _is_a),
    rule(
        "job",
        r"(?:i've|ive|i have) (?:been|been working as|worked as) (?P<article>an? )(?P<value>.+?)(?= (?:for|since|all)\b|$)",
        _is_a,
    ),
    rule(
        "job",
        rf"{WE}(?:became|have become|got a job as|was hired as|freelance as|moonlight as) (?P<article>an? )(?P<value>.+)",
        _works_as_known,
    ),
    rule(
        "job",
        rf"(?:{WE}|for a living,? i )(?P<verb>drive) (?P<value>an? (?:\w+ )?(?:bus|taxi|cab|truck|lorry|tram|forklift"
        rf"|ambulance|train)|trucks|buses|trains|lorries)\b",
        _does,
    ),
    rule("job", rf"{WE}(?P<verb>[a-z]+) (?P<value>(?:[\w'-]+ ){{1,5}})for a living", _does),
    rule("job", rf"(?:{WE}|i've |i have )(?:just |recently )?(?P<value>retired)\b", said("job", "Is {}", tidy)),
    rule(
        "job",
        rf"{I_AM}in (?:my |the )?(?P<value>(?:\w+ year (?:of|at) .+)|(?:med(?:ical)?|law|business|nursing|high|grad(?:uate)?"
        rf"|art|vet|culinary) school\b)",
        said("job", "Is in {}", _study),
    ),
    rule(
        "job",
        rf"{I_AM}(?:doing|pursuing|finishing|working on|working towards|getting|starting|in the middle of) (?P<value>(?:an?"
        rf"|my) (?:\w+ )?(?:phd|doctorate|master'?s|mba|bachelor'?s|degree|msc|ba|bsc|apprenticeship|internship|residency"
        rf"|postdoc)\b.*)",
        said("job", "Is doing {}", _study),
    ),
    rule("job", rf"(?:{WE}major|{I_AM}majoring) in (?P<value>.+)", said("job", "Majors in {}", _subject)),
    rule(
        "employer",
        rf"(?:{WE}(?:go to|attend)|{I_AM}(?:attending|enrolled at)) (?P<value>.+)",
        said("employer", "Attends {}", _school),
    ),
    rule(
        "employer",
        rf"{I_AM}(?:doing|pursuing|finishing|getting) (?:an?|my) .+? (?:at|from) (?P<value>.+)",
        said("employer", "Is at {}", _employer),
    ),
    rule(
        "employer",
        rf"(?:{WE}|i've |i have )(?:just |recently )?(?:joined|got a job at|started (?:working |a (?:new )?job )?at|intern at"
        rf"|got hired (?:at|by)) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule("job", rf"{I_AM}currently (?P<value>between jobs|out of work)", said("job", "Is {}", tidy)),
    rule(
        "job",
        r"i (?:don't|dont|do not) (?:have a job|work)(?: at the moment| right now| anymore)?$",
        fixed("job", "Does not work", "not work"),
    ),
    rule(
        "job",
        rf"{I_AM}(?P<value>a stay[- ]at[- ]home (?:mom|dad|mum|mother|father|parent)|on (?:maternity|paternity|parental) leave)",
        said("job", "Is {}", tidy),
    ),
    rule(
        "job",
        r"my (?:job|profession|occupation|job title|day job)(?: is|'s) (?:being |to be )?(?P<article>an? |the |)(?P<value>.+)",
        _works_as_known,
    ),
    rule("job", rf"(?:{WE}study|{I_AM}studying) (?P<value>.+)", said("job", "Studies {}", _subject)),
    rule("job", rf"(?:{WE}study|{I_AM}studying) at (?P<value>.+)", said("job", "Studies at {}", _employer)),
    rule(
        "job",
        r"(?:i|i've|i have) (?:just |recently )?started (?:a new job |working )as (?P<article>an? )(?P<value>.+)",
        _works_as,
    ),
    rule("job", rf"{WE}teach (?P<value>.+)", said("job", "Teaches {}", _subject)),
    rule(
        "job",
        rf"{I_AM}(?P<value>(?:semi-)?retired|unemployed|self[- ]employed|a freelancer|freelancing|jobless){END}",
        said("job", "Is {}", tidy),
    ),
    rule("job", rf"{WE}(?P<verb>run|own|manage|co-own|founded|started) (?P<value>.+)", _business),
    rule("job", rf"(?:{WE}work in|{WE_ARE}(?:working )?in) (?P<value>.+)", _works_in),
    rule("job", rf"{WE}work for myself\b", fixed("job", "Is self-employed", "self-employed")),
    rule(
        "employer",
        rf"(?:{WE}work|{WE_ARE}working|{WE_ARE}employed) (?:at|for|by|with) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule(
        "employer",
        rf"(?:{WE}work as|{I_AM}(?:working as )?)\s*an? (?P<job>[\w -]+?) (?:over )?(?:at|for|with) (?P<value>.+)",
        _employed,
    ),
    rule("employer", r"my employer(?: is|'s) (?P<value>.+)", said("employer", "Works at {}", _employer)),
    rule(
        "job",
        rf"{WE}(?:finish|do|pursue) (?P<value>(?:my|an?) (?:\w+ )?(?:degree|phd|master'?s|bachelor'?s|mba)\b.*)",
        said("job", "Is doing {}", _study),
    ),
    rule("job", rf"{I_AM}(?:training|studying) to (?:be|become) (?P<value>an? .+)", said("job", "Is training to be {}", tidy)),
    rule("job", rf"{WE}work (?:in|at|for) .+? as (?P<article>an? )(?P<value>.+)", _works_as),
    rule(
        "employer",
        r"(?:i have|i've|i've got|i got) (?:got )?an? (?:[\w-]+ ){0,2}job (?:at|in|with) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule(
        "employer",
        r"(?:i've|i have) (?:been working|worked|been) (?:at|for|with) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule("employer", rf"(?:{WE}study|{I_AM}studying) .+? at (?P<value>[A-Z].+)", said("employer", "Studies at {}", _employer)),
    rule("employer", rf"{WE}(?:manage|lead|run) .+? (?:at|for) (?P<value>.+)", said("employer", "Works at {}", _employer)),
    rule(
        "employer",
        rf"{WE}work (?:remotely|part[- ]time|full[- ]time) (?:at|for) (?P<value>.+)",
        said("employer", "Works at {}", _employer),
    ),
    rule(
        "job",
        rf"{WE}(?P<verb>manage|lead) (?P<value>an? (?:[\w-]+ ){{0,3}}(?:team|shop|store|restaurant|branch|department|kitchen))\b",
        _does,
    ),
    rule(
        "job",
        rf"{WE}do (?P<value>(?:\w+ )?(?:it support|customer service|customer support|data entry|landscaping|construction"
        rf"|marketing|accounting|consulting|research|sales|security)\b)",
        said("job", "Does {}", tidy),
    ),
    rule("job", r"(?:i've|i have) been teaching (?P<value>.+?)(?= (?:for|since|at|in)\b|$)", said("job", "Teaches {}", _subject)),
    rule(
        "job",
        rf"{I_AM}an? (?P<value>(?:\w+ )?(?:junior|senior|freshman|sophomore|first[- ]year|second[- ]year|third[- ]year"
        rf"|final[- ]year)(?: in (?:college|high school|university)| studying .+))",
        said("job", "Is a {}", _study),
    ),
    rule(
        "job",
        rf"{WE}(?:own|run) (?P<value>an? (?:\w+ ){{0,3}}(?:shop|store|cafe|café|restaurant|bakery|farm|gym|salon|brewery"
        rf"|studio|firm|agency|company|business|garage|hotel|bar|pub|b&b))\b",
        said("job", "Runs {}", tidy),
    ),
    rule(
        "job",
        rf"{I_AM}(?:currently |still )?(?P<value>between jobs|out of work|on disability|on sick leave|job[- ]hunting|laid off)\b",
        said("job", "Is {}", tidy),
    ),
    rule("job", r"i (?:just |recently )?(?:got|was) (?P<value>laid off|made redundant)\b", said("job", "Was {}", tidy)),
    rule(
        "job",
        rf"{WE}work (?P<value>(?:the )?(?:night|day|evening|early|late|rotating|graveyard|swing) shifts?|part[- ]time"
        rf"|full[- ]time|nights|weekends|remotely|from home)(?! today| tomorrow| this| right now)\b",
        said("job", "Works {}", tidy, certain=False),
    ),
    rule("employer", rf"{WE}work .*?shifts? (?:at|in|for) (?P<value>.+)", said("employer", "Works at {}", _employer)),
    rule(
        "employer",
        r"my (?:company|firm|business|startup|shop|employer) is called (?P<value>.+)",
        said("employer", "Company is called {}", _employer),
    ),
    rule(
        "employer",
        rf"{WE}work (?:for|at|in) (?:the )?(?P<value>(?:federal |local |city |state )?(?:government|council|police|army|navy"
        rf"|air force|post office|military|civil service|fire department|ministry of \w+))\b",
        said("employer", "Works for the {}", str),
    ),
    rule(
        "job",
        rf"{I_AM}(?P<article>an? |the )(?P<value>[\w' -]+?)(?= (?:at|for) (?:(?-i:[A-Z])|an? (?:\w+ )?(?:company|startup|firm"
        rf"|bank"
        rf"|hospital|school|agency|university)))",
        _works_as,
    ),
    rule(
        "job",
        r"(?:i've|i have|i) (?:just |recently )?(?:been |got |was )?promoted to (?P<value>.+)",
        said("job", "Is {}", _subject),
    ),
    rule(
        "job",
        r"my (?:day |main |current )?job is (?P<value>(?!boring|killing|draining|exhausting|going|making|driving me)\w+ing\b.+)",
        said("job", "Job is {}", _study),
    ),
    rule("job", r"(?:i've|i have) worked in (?P<value>.+?)(?= (?:all|for|since|most)\b)", _works_in),
    rule(
        "job",
        r"(?:i've|i have) been (?P<verb>running|managing|driving|owning) (?P<value>an? [\w -]+?)(?= (?:in|for|since|at)\b)",
        lambda match: Description(f"Is {match['verb']} {match['value']}", "job", match["value"]),
    ),
    rule(
        "employer",
        rf"{I_AM}(?:the|a|an|in) (?P<job>[\w -]+?) (?:at|for|with) (?P<value>.+)",
        lambda match: _employed_there(match),
    ),
)
