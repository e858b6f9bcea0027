"""How results look on paper and on terminals: lines, tables and colors, as text.

The command line and the stand-in for sacrebleu print the same; neither needs the other for it.
"""
