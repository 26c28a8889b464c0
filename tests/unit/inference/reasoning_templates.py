"""Chat templates of models that think, in our own words: what they do to a past reply is theirs."""

QWEN_LIKE = """\
{%- for message in messages %}
{%- set text = message.content %}
{%- if message.role == 'assistant' and '</think>' in text %}{% set text = text.split('</think>')[-1].lstrip('\\n') %}{% endif %}
{{- '<|im_start|>' + message.role + '\\n' + text + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}
{%- endif %}"""
"""The model opens its thought itself; past thoughts are cut off."""

R1_LIKE = """\
{{- bos_token }}
{%- for message in messages %}
{%- if message.role == 'system' %}{{ message.content }}
{%- elif message.role == 'user' %}{{ '<|User|>' + message.content }}
{%- else %}{{ '<|Assistant|>' + message.content.split('</think>')[-1] + eos_token }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|Assistant|><think>\\n' }}{% endif %}"""
"""The prompt opens the thought; past turns do not even show the tag."""

KEEPING = """\
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"""
"""The prompt opens the thought, and past turns show it whole."""

GLM_LIKE = """\
{%- for message in messages %}
{%- if message.role == 'assistant' %}{{ '<|assistant|>\\n<think></think>\\n' + message.content.split('</think>')[-1] }}
{%- else %}{{ '<|' + message.role + '|>' + message.content }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}"""
"""Past replies show an empty thought."""
