"""Pieces of English that the rules' patterns are made of."""

from munin_app.profile.clauses import ADVERBS

I_AM = rf"(?:i'?m|i am)\s+{ADVERBS}"
WE_ARE = rf"(?:i'?m|i am|we're|we are)\s+{ADVERBS}"
WE = rf"(?:i|we)\s+{ADVERBS}"
I_NOT = (
    rf"(?:i|we)\s+{ADVERBS}(?:don't|do not|can't|cannot|can not|won't|will not|never|didn't|did not"
    rf"|no longer)\s+{ADVERBS}(?:even )?"
)

END = (
    r"(?=\s*(?:[.,;:!?)–—\x00]|$|\b(?:and|but|so|who|which|because|since|now|currently|by the way|btw|too|as well"
    r"|from|at the moment)\b))"
)

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)"
)
MONTH_AND_YEAR = rf"(?:{_MONTH} )?(?:19|20)\d\d\b"
DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    r"|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?)"
)

_CAPITALISED = r"[A-ZÀ-ÞĀ-Ž][\w'-]*"
FULL_NAME = rf"[^\W\d_][\w'-]*(?:\.? (?:(?:van|de|von|der|den|la|bin|al|del|di|da|af|av) )*{_CAPITALISED}){{0,4}}"
CAPITALISED_NAME = rf"{_CAPITALISED}(?: {_CAPITALISED}){{0,3}}"

FAMILY = (
    r"(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[ée]+|mother|mom|mum|father|dad|sister|brother|twin|son"
    r"|daughter|child|kid"
    r"|baby|stepson|stepdaughter|stepmother|stepfather|cousin|aunt|uncle|grandmother|grandma|granny|grandfather|grandpa|grandson"
    r"|granddaughter|grandchild|niece|nephew|godson|goddaughter|(?:mother|father|sister|brother)-in-law)"
)
PETS = (
    r"(?:dog|cat|puppy|kitten|parrot|rabbit|bunny|hamster|guinea pig|horse|pony|goldfish|turtle|tortoise|snake|lizard"
    r"|ferret|budgie|bird"
    r"|pet)"
)
OTHERS = (
    r"(?:friend|colleague|coworker|co-worker|boss|manager|neighbou?r|roommate|flatmate|housemate|teacher|doctor|therapist|mentor)"
)
WHICH_ONE = r"(?:(?:older|younger|elder|little|big|twin|best|late|oldest|youngest|eldest|first|second|ex|new) )*"
KIN_COUNTED = (
    rf"(?:(?:an?|one|two|three|four|five|six|seven|eight|\d{{1,2}}|no) (?:(?!who|that|with|for|of|to|in|hot"
    rf"|question)[\w-]+ ){{0,4}}?"
    rf"(?:(?:{FAMILY}|{PETS})s?|wives|children|babies|puppies|siblings?|grandchildren|fish|chickens?|hens|sheep|goats?|cows?))"
)
