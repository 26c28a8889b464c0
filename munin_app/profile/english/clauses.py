"""How English sentences fall into clauses."""

import re

from munin_app.profile.language import Splitter

ADVERBS = (
    r"(?:(?:really|also|just|currently|now|actually|still|absolutely|truly|particularly|especially|always|usually"
    r"|mostly|mainly|generally|strongly|personally|honestly|definitely|recently|originally|both|simply|quite|deeply|totally"
    r"|genuinely|very much|only|kind of|kinda|sort of|presently|proudly|officially|lately|normally|typically|often|strictly"
    r"|greatly"
    r"|exclusively|firmly|adamantly|much|happily|finally|already|basically|primarily|completely|extremely|very|severely|secretly"
    r"|so|fully|highly|long|sincerely|intensely|literally|obviously|mildly|already|even|newly)\s+)*"
)
_REMEMBER = (
    r"(?:(?:can you |could you |would you |i want you to |i'd like you to |i need you to )?(?:please |pls )?(?:remember|note"
    r"|keep in mind|bear in mind|don't forget|dont forget|do not forget|never forget|make a note|take note|remind yourself))"
)
REMEMBER = re.compile(rf"(?i)\b{_REMEMBER}(?:\s+that\b|\s*:|,|\s+(?=i\b|i'm\b|my\b))\s*(?!to\b|when\b|how\b|what\b|you\b|your\b)")
LEAD = re.compile(
    r"(?i)\s*(?:(?:hi|hello|hey|hei|hiya|greetings|good (?:morning|evening|afternoon|day)|yes|yeah|yep|no|nope|nah|ok|okay|k"
    r"|ah|right"
    r"|well|so|also|oh|and|but|plus|then|hmm|um|uh|look|listen|see|sure|cool|great|nice|wow|ugh|haha|lol|nb|ps|p\.s|note"
    r"|actually|btw|by the way|fyi|for the record|(?:just )?so (?:that )?you know|for your information|as you (?:may "
    r"|might )?know|because|cause|cuz|since|now|today|quick (?:intro|introduction|note|fact|update)(?: \w+ we start)?"
    r"|as(?!\s+an?\b)|though|although|while|whereas|for (?:future |your )?reference|for context|some context|context"
    r"|background|some background"
    r"|a (?:bit|little|few (?:things|words|facts)) about me(?: first)?|about me|little about me"
    r"|please|pls|thanks|thank you|thx|sorry|munin|(?:the )?thing is|that's wrong|wrong|that's not right"
    r"|(?:no )?you(?:'ve| have)? got (?:that|it|this) wrong|not quite|(?:the )?truth is|turns out"
    r"|(?:there|everyone|all)(?=\s*[,!.:;])|anyway|anyways|honestly|personally|in fact|first(?: of all)?|originally(?= i)"
    r"|firstly|secondly|second|currently"
    r"|these days|nowadays|lately|recently|at the moment|you should know|you (?:may|can|need to) know|you can|i think you should"
    r" know|i should (?:also )?(?:say|mention|add)|i forgot to (?:say|mention)|did i mention|that|as (?:a |an )?[\w -]{2,30}?,"
    r"|i(?: just)? want(?:ed)? you to know|let me (?:tell you|introduce myself)|in general|generally|as for me|correction|update"
    r"|unfortunately|luckily|sadly|fortunately|tbh|imo|given|like i said|as i said|to be honest|to be clear|as a rule"
    r"|(?:in|since|until|after|before) (?:\w+ )?(?:19|20)\d\d|(?:last|this|every) (?:\w+)|on (?:\w+days?|weekends)|(?:a )?\w+ "
    r"(?:years?"
    r"|months?|weeks?|days?) ago|in my (?:free|spare) time|for (?:\w+ ){1,3}years(?: now)?|due to [^,.;]{3,40},|for \w+ reasons"
    rf"|after (?:my|the|a) [\w ]{{3,25}},|at (?:home|work|school)|my friend|dude|man|bro|mate|{_REMEMBER})\b[\s,:;!.)\x00-]*"
    r"(?:that\b[\s,:]*)?)*"
)
_SUBJECT = (
    r"(?:also\s+|now\s+|currently\s+|recently\s+|these days\s+)?(?:i|i'm|im|i've|ive|i'd|i'll|my|mine|we|we're|we've|our|call me"
    r"|you|your|he|she|they|please|can(?!')|could|would|what|how|where|who|when|why|do|does|it's|it|this|being|as an?"
    r"|people call)\b"
)
_VERB = (
    rf"{ADVERBS}(?:am|live|work|love|like|hate|enjoy|prefer|dislike|adore|speak|have|study|teach|moved|come|grew"
    r"|was born|don't|dont|do not|can't|cant|cannot|will not|won't|wont|never|run"
    r"|own|drive|play|(?:(?:try|tend|need|have) to )?avoid|refuse|detest|despise|struggle|follow|use|eat"
    r"|listen|read|watch|consume|find|collect|go by|want|exclusively|only)\b"
)
_COMPLEMENT = (
    r"(?:an?\s|from\s|originally from\s|\d{1,3}(?:\s+years|\s*$|\s*,|\s+and\b)|allergic\b|vegetarian\b|vegan\b|male\b|female\b"
    r"|(?:recently |happily |newly )?(?:married|divorced|engaged|widowed|single|retired)\b|based in\b|living in\b|working\b"
    r"|(?:mother|father|mum|mom|dad) (?:of|to)\b"
    r"|(?:with )?(?:no|one|two|three|four|five|\d) (?:\w+ ){0,2}(?:kids?|children|sons?|daughters?|cats?|dogs?)\b)"
)
_BREAK = (
    r"(?:\s*[,;:()–—!.\n]\s*|\s+-{1,2}\s+|\s+(?=(?:and|but|so|because|since|plus|though|although|while|as)\b))(?:(?:and"
    r"|but|so|because|since|plus|though|although|while|as)\s+)?(?:that\s+)?"
)
_TASTE = r"(?:i (?:hate|do(?:n't| not) (?:like|eat|drink)|(?:like|love) to|never|would rather)\b|i'm not\b|i am not\b)"
_PERSONAL = (
    r"(?:like|enjoy|love|want|care|mind|use|wear|eat|drink|buy|watch|listen|read|consume|drive|stay|follow|adopt|consider|shop"
    r"|travel|fly|date|play|dine|choose|book|work|trust|cook|own|keep|purchase|get|take|have|live|speak|know|think|feel)"
)
"""What a person does rather than a thing."""

SPLITTER = Splitter(
    lead=LEAD,
    remember=REMEMBER,
    next=re.compile(rf"(?i){_BREAK}(?:(?P<subject>(?={_SUBJECT}))|(?P<verb>(?={_VERB}))|(?P<complement>(?={_COMPLEMENT})))"),
    verb="I ",
    complement="I'm ",
    takes_verb=re.compile(r"(?i)(?:\d\d ?[fm]\b|i|i'm|im|i've|we|we're)\b"),
    takes_complement=re.compile(r"(?i)(?:i'?m|i am|my name is|my name's|call me)\s"),
    unreal=re.compile(
        rf"(?i)(?!{_TASTE})(?:i|we)\b[^,]*?\b(?:want|wanted|hope|plan|planning|like to|love to|would|used to|don't|didn't|do not"
        r"|decided|need|try|trying|going to|hate|never|not|about to|thinking|considering|dream)\b"
    ),
    relative=re.compile(r"(?i)\w (?:that|which|who) (?!i\b|we\b|my\b)\w[^,;]*$"),
    goes_on=re.compile(rf"(?i)(?:don't|dont|do not) (?!{_PERSONAL}\b)\w"),
    reordered=(
        (re.compile(r"(?i)^as (?:someone|somebody|a person|one) who (live|work|love|hate|come)s\b"), r"I \1"),
        (re.compile(r"(?i)^as (?:someone|somebody|a person|one) (?:who is|who's)\b"), "I'm"),
        (
            re.compile(
                r"(?i)^(?=(?:learning|studying|working on (?:an?|my)|building (?:an?|my)|writing (?:an?|my)|training for"
                r"|saving up"
                r"|saving for)\b)(?!.*\b(?:is|are|was|takes|seems|requires|can|helps|needs)\b)"
            ),
            "I'm ",
        ),
        (re.compile(r"(?i)^(?=(?:al+ergic to|based in|living in|originally from|working as|married to)\b)"), "I'm "),
        (re.compile(r"(?i)^(?=(?:live in|grew up in|was born in|work as an?|born and raised in)\b)"), "I "),
    ),
)
