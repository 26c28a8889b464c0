"""Chat templates that somebody with bad intentions might put into a file."""

_DOUBLING = "{% set it = namespace(x=START) %}{% for i in range(60) %}{% set it.x = STEP %}{% endfor %}{{ it.x }}"

ENDLESS = [
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
]
HUGE = [
    "{{ 'a' * 10**9 }}",
    "{{ [0] * 10**9 }}",
    "{{ 10**10**9 }}",
    "{{ '%0999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ 'a'|center(1000000000) }}",
    "{{ 'a'.ljust(1000000000) }}",
    *(
        _DOUBLING.replace("START", start).replace("STEP", step)
        for start, step in [
            ("'abcdefgh'", "it.x ~ it.x"),
            ("'abcdefgh'", "it.x + it.x"),
            ("'aaaaaaaa'", "it.x.replace('a', it.x)"),
            ("[1]", "it.x + it.x"),
            ("2", "it.x * it.x"),
        ]
    ),
]
ODD = [
    "",
    "{{",
    "{{" * 1000,
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{% if 1 %}" * 500,
    "{% include '/etc/passwd' %}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ raise_exception('no') }}",
    "{{ lipsum(n=100000) }}",
    "{{ messages }}",
    "{% for m in messages|reverse %}{{ m.content }}{% endfor %}",
    "\x00\ud7ff\U0010ffff",
]
