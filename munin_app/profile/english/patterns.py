"""Pieces of English that the rules' patterns are made of."""

import re

from munin_app.profile.english.clauses import ADVERBS

I_AM = rf"(?:i'?m|i am)\s+{ADVERBS}"
WE_ARE = rf"(?:i'?m|i am|we're|we are)\s+{ADVERBS}"
WE = rf"(?:i|we)\s+{ADVERBS}"
I_NOT = (
    rf"(?:i|we)\s+{ADVERBS}(?:don't|dont|do not|can't|cant|cannot|can not|won't|wont|will not|never|didn't|did not"
    rf"|no longer)\s+{ADVERBS}(?:even )?"
)

END = (
    r"(?=\s*(?:[.,;:!?)–—\x00]|$|\b(?:and|but|so|who|which|because|since|now|currently|by the way|btw|too|as well"
    r"|from|at the moment|with|spelled|spelt|these days|nowadays|lately|right now|anymore|any more|tbh|lol|haha|myself"
    r"|recently|either|here|while|living|working|based)\b))"
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
    r"|ferret|budgie|bird|pet|gecko|axolotl|chinchilla|gerbil|canary|cockatiel|mare|donkey|golden retriever|retriever"
    r"|labrador|lab"
    r"|poodle|beagle|corgi|dachshund|husky|german shepherd|sheepdog|border collie|collie|terrier|bulldog|pug|chihuahua|spaniel"
    r"|greyhound|rottweiler|dalmatian|rescue dog|rescue cat|tabby|siamese|maine coon|ragdoll)"
)
OTHERS = (
    r"(?:friend|mate|buddy|pal|bestie|colleague|coworker|co-worker|boss|manager|neighbou?r|roommate|flatmate|housemate"
    r"|teacher|doctor|therapist|mentor)"
)
WHICH_ONE = r"(?:(?:older|younger|elder|little|big|twin|best|late|oldest|youngest|eldest|first|second|ex|new) )*"
KIN_COUNTED = (
    rf"(?:(?:an?|one|two|three|four|five|six|seven|eight|\d{{1,2}}|no) (?:(?!who|that|with|for|of|to|in|class|object|struct"
    rf"|variable|function|picture|photo|friend|toy|stuffed|plush|virtual|called|named|hot"
    rf"|question)[\w-]+ ){{0,4}}?"
    rf"(?:(?:{FAMILY}|{PETS})s?|wives|children|babies|puppies|girls|boys|huskies|siblings?|grandchildren|fish|chickens?|hens"
    rf"|sheep|goats?|cows?))"
)

SOMEBODY = re.compile(
    r"(?i)\b(?:he|she|they|his|her|friend|brother|sister|mother|father|mom|mum|dad|wife|husband|partner|girlfriend"
    r"|boyfriend|son|daughter|kid|child|children|colleague|boss|neighbou?r|cousin|aunt|uncle|grandmother|grandfather|teacher"
    r"|dog|cat|roommate|parents)(?:'s|s)?\b"
)
