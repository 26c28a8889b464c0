"""Where an English speaker does not speak in earnest: work on a text, invention, orders, questions, conditions."""

import re

from munin_app.profile.language import Guard

_TEXT = (
    r"(?:text|essay|letter|e-?mail|message|mail|paragraph|draft|sentences?|transcript|article|passage|review|post|tweet|bio"
    r"|resume"
    r"|cv|cover letter|abstract|story|poem|speech|lyrics|excerpt|quote|comment|statement|chapter|dialogue|conversation|log"
    r"|page|docs?|document|file|data|spreadsheet|code|snippet|form|profile|script)"
)
_ABOUT_A_TEXT = re.compile(
    rf"(?i)\b(?:(?<!i )(?<!to )translat(?:e|ion|ing) (?!books|novels|for|documents)|translate:|summari[sz]\w+"
    rf"|proof-?read(?:ing)?|rewrite|re-?word|rephrase|paraphrase|tl;?dr"
    rf"|correct (?:this|the|my|these)|(?:polish|improve|edit|check|shorten|fix|correct|format|analy[sz]e|review|refactor)"
    rf" (?:this|the|these|my) (?:\w+ ){{0,2}}(?:grammar|english|spelling|wording|code|{_TEXT})"
    r"|(?:fix|check|correct) (?:my|the) (?:grammar|english|spelling)|grammar"
    rf"|(?:here(?:'s| is| are)|this is|that's|that is|below is|in|from) (?:my|the|a|an|this|what|some) (?:\w+ ){{0,3}}{_TEXT}\b"
    r"|(?:below|above|attached) is|make (?:it|this) (?:a|an|more|sound|into)|compare (?:these|the|this)|(?:example|sample) "
    r"(?:sentences?|texts?|messages?)|what does (?:this|it|he|she|that) mean"
    r"|(?:i|he|she|they|someone) (?:just )?(?:copied|pasted|found) (?:this|the following)|(?:copied|pasted) (?:below|from|this)"
    r"|reported speech|in the (?:past|present|future) tense|is this (?:a )?(?:scam|spam|phishing|legit))\b"
)
_MEDIUM = (
    r"(?:e-?mail|letter|text|message|mail|review|post|tweet|ad|advert|sign|article|book|song|lyrics?|page|website|caption|bio"
    r"|profile|character|narrator|protagonist|hero|heroine|villain|note|voicemail|line|quote|sentence|speaker|author|it)"
)
_INVENTED = re.compile(
    r"(?i)(?:\b(?:pretend\w*|role-?play\w*|role play\w*|act(?:ing)? (?:as|like)|imagine|imagining|suppose|supposing"
    r"|hypothetical\w*"
    r"|what if|let's (?:say|play|pretend|imagine|suppose|assume)|say (?=i(?:'m| am| have| live| work| own)\b)"
    r"|you(?:'re| are| will be)(?: now)? (?:an? |the |my )|from now on|in character|as if|picture this|in (?:my|the|this|a|that) "
    r"(?:dream|game|story|novel|book|movie|film|play|scene|scenario|example|exercise|hypothetical|roleplay|script|campaign)"
    r"|for (?:this|the|an?|the sake of) (?:exercise|example|argument|scenario|game|role|purposes? of)|scenario:|(?:my|the"
    r"|this|main) "
    r"(?:main )?(?:character(?! (?:and \w+ )?of\b)|protagonist|narrator|hero|heroine|villain|persona"
    r"|avatar)|given that i(?:'m| am)"
    r"|(?:ignore|disregard|forget) (?:all |any |the |your )*(?:previous|prior|above|earlier) (?:instructions?|rules?|prompts?)"
    r"|(?:add|save|store|write|commit|append|log|record|put) (?:[\w':]+ ){0,5}?(?:to|in|into) (?:your|the|its) "
    r"(?:[\w-]+ )?(?:memory|memories|profile|notes)|(?:save|store|record) (?:the|this) (?:following )?(?:fact|memory)"
    r"|(?:ai|ais|assistants?|chatbots?|language models?|llms?) (?:\w+ )?(?:must|should|have to|need to|are required))\b"
    rf"|\b{_MEDIUM}(?: that)?(?: \w+)? (?:says?|said|reads?|goes|went|states?|stated|began|begins|starts?|started|wrote"
    rf"|claims?|is)"
    r"(?: that)?\s*[:,]"
    r"|\b(?:he|she|they|who|someone|somebody|friend|brother|sister|mother|father|mom|mum|dad|wife|husband|partner|boss|teacher"
    r"|professor|colleague|grandma|grandmother|grandfather|neighbou?r|girlfriend|boyfriend|customer|client|guy|man|woman|kid|son"
    r"|daughter|student|doctor|landlord|\b[A-Z][a-z]+) "
    r"(?:just |always |once |often |then )?(?:says?|said|writes?|wrote|replied|answered|texted|messaged|told|goes|asked|shouted"
    r"|whispered|tells|emailed|posted)(?: (?:to )?(?:me|us|him|her|them|everyone|back))?(?: that)?\s*[:,]"
    r"|(?<!want to )(?<!like to )(?<!love to )(?<!hope to )(?<!plan to )(?<!is to )(?<!going to )\b(?:write|tell|compose"
    r"|create|continue|finish|generate|give|make|draft|invent|come up with|need|want)\b[^.?!\n]{0,40}\b(?:story"
    r"|stories|poem|song|lyrics|scene|script|dialogue|novel|screenplay|joke|limerick|haiku|rap|monologue|fan ?fiction|tale|sketch"
    r"|example sentences?|sample|persona|bio|backstory|sonnet|obituary|dating profile|character|diary entry|speech|eulogy)\b"
    r"|\b(?:as|from) (?:the|a) (?:point of view|perspective) of)"
)
_COMPOSING = re.compile(
    r"(?i)^\W*(?:(?:please|can you|could you|would you|will you|munin|hey|now|then|and|also|ok(?:ay)?)[\s,]+)*"
    r"(?:write|draft|compose|generate|create|make|say|repeat|print|output|reply|respond|answer|add|save|store|append"
    r"|insert|type|echo|complete|finish|continue|act|play|ignore|call yourself|start|begin|forget|stop|tell|explain|describe"
    r"|list|give|use|convert|calculate|solve|implement|debug)\b"
)
_QUESTION_WORD = (
    r"(?:what|what's|who|who's|whom|whose|where|where's|when|why|how|how's|which|do|does|did|is|are|am i|can|could|would|should"
    r"|will|shall|may i|have you|has|isn't|aren't|don't you|won't|was|were"
    r"|any (?:\w+ )?(?:ideas?|tips?|suggestions?|advice|recommendations?|recs?|thoughts?|help|pointers))"
)
_QUESTION = re.compile(
    r"(?i)^\W*(?:(?:hi|hey|hello|so|and|but|or|ok(?:ay)?|well|please|munin|quick question)[\s,:]+)*"
    rf"(?:{_QUESTION_WORD}(?!,)|when i(?! (?:am|was|'m)))\b"
)
_QUESTION_WITHIN = re.compile(
    rf"(?i)(?:[,;:–—]|\s-)\s*(?:(?:and|but|so|or)\s+)?{_QUESTION_WORD}\b|\b(?:and|but|so|or)\s+{_QUESTION_WORD}\b"
    r"|,\s*(?:[\w'-]+\s+){0,4}(?:ideas?|tips?|suggestions?|advice|recommendations?|recs|thoughts|options?|alternatives?)\s*\?"
)
_CONDITION = re.compile(
    r"(?i)\b(?:if|unless|wish|wished|whether|as though|would(?! (?:like|love|rather|prefer)\b)|could have|should have"
    r"|(?<!that )(?<!which )might|(?<!\d )(?<!in )(?<!that )(?<!which )may(?! \d)"
    r"|maybe|perhaps|possibly|probably|assuming|in case|not sure|wonder(?:ing)?|dreamt|dreamed|basically|technically|feel like"
    r"|(?:he|she|they|you|people|everyone|everybody|someone|somebody|friends?|doctor|boss|mother|mom|mum|father|dad|wife|husband"
    r"|partner|teacher|sister|brother|colleagues?|grandma|grandmother|grandfather|test|results?)"
    r"(?: always| often| once)? (?:says?|said|tells?|told|thinks?|thought|believes?|claims?|keeps? saying|assumes?|calls? me an?)"
    r"|kidding|joking|just a joke|jk|sarcas\w+|for example|e\.g\.|such as i|according to|used to|lol i'm|supposedly"
    r"|(?:remember|recall|forget|know|mean|think|thought|explain|prove|show|claim\w*|say(?:ing)?|lie[ds]?) that (?=you\b)"
    r"|(?:i|we) (?:thought|think|guess|suppose|believe|feel|said|lied) (?:that )?(?=i\b|i'm\b|we\b|my\b)"
    r"|(?:supposed|meant) to)\b"
)
GUARD = Guard(
    about_a_text=_ABOUT_A_TEXT,
    invented=_INVENTED,
    composing=_COMPOSING,
    question=_QUESTION,
    question_within=_QUESTION_WITHIN,
    condition=_CONDITION,
    clause_end=re.compile(r"[,;:()–—]|\s-\s|\b(?:and|but|so)\b", re.I),
    introduction=re.compile(
        r"(?i)\b(?:intro\w*|info|context|background|update|correction|fyi|disclaimer|confession|reminder|mistyped"
        r"|typo)\b[^:]{0,25}$"
        r"|\b(?:me|myself|note|remember|mind|forget|facts?|btw|ps|profile|details|situation|thing is|edit|truth|case|story"
        r"|basics|sorry|meant"
        r"|name|favou?rite [\w ]+|languages|hobbies|allergies|allergy|age|job|diet|goal|am|know|well|hi|hello|hey|yes|no"
        r"|anyway|summary)\s*$"
    ),
    asks_for_source=re.compile(
        "(?i)\\b(?:who|which|what|where)\\b[^?]*\\b(?:said|says|sang|sings|wrote|song|movie|film|book|band|lyrics?|quote"
        "|singer|album|from)\\b|\\b(?:movie|film|song|book|album|quote|lyrics?|correct (?:english|grammar)|grammatical\\w*"
        "|sentence)\\b"
    ),
    contrast=re.compile(
        r"(?i)\bbut\s+(?=(?:now|i|i'm|my|we|these days|currently)\b)|[,;]\s*now (?=i\b|i'm\b)|\band now (?=i\b|i'm\b)"
    ),
)
