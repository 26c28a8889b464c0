"""English."""

import re

from munin_app.profile.english import family, tastes, who, wishes, work
from munin_app.profile.english.clauses import SPLITTER
from munin_app.profile.english.denials import denial, unsaid_rest
from munin_app.profile.english.guard import GUARD
from munin_app.profile.english.notes import third_person_note
from munin_app.profile.english.patterns import SOMEBODY
from munin_app.profile.english.third_person import attribute_and_value
from munin_app.profile.english.vocabulary import TRANSIENT
from munin_app.profile.language import Language
from munin_app.profile.words import word_set

ENGLISH = Language(
    code="en",
    on=True,
    words=word_set(
        """
        i i'm im i've ive i'd i'll my mine am the and is are was were have has had of with for that this what how who where
        when why call don't dont can't cant do does not you your it it's its from live work like love name remember but been
        being please a an on in to me at as or so if no all just about now since we we're we've our us he she they him her
        them will living working studying learning building writing training allergy allergic intolerance saving currently
        trying his there here which any some can could would should did didn't than then because by up out into after before
        never always only also very really more most too own get got make made go going need want know think there's that's
        he's she's what's let's isn't aren't won't one two 'm be hate prefer years old new good help tell last week day time
        turned give find keep enjoy avoid strongly eat drink speak born moved
        """
    ),
    guard=GUARD,
    splitter=SPLITTER,
    rules=who.RULES + work.RULES + family.RULES + wishes.RULES + tastes.RULES,
    first_person=re.compile(r"(?i)\b(?:i|i'm|im|i've|my|mine|we|our|me)\b"),
    somebody=SOMEBODY,
    transient=TRANSIENT,
    note=third_person_note,
    describe=attribute_and_value,
    denial=denial,
    unsaid_rest=unsaid_rest,
)
