"""Encodings that a key may lie under, each with the command that undoes it, so that the record says what it is."""

import base64
import gzip
import quopri
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rung.calibrate.cheats.fourth import codings


@dataclass(frozen=True, slots=True)
class Code:
    """An encoding: what it makes of bytes, and a command that turns file `{f}` back."""

    make: Callable[[bytes], bytes]
    undo: str
    ending: str = "txt"


def _py(code: str) -> str:
    return f'python3 -c "{code}"'


_BITS = "print(bytes(int(b[i:i+8],2) for i in range(0,len(b)//8*8,8)).decode())"

CODES: Mapping[str, Code] = MappingProxyType(
    {
        "uuencode": Code(codings.uu, "uudecode -o /dev/stdout {f}", "uue"),
        "quoted-printable": Code(
            lambda data: quopri.encodestring(data, quotetabs=True), "python3 -m quopri -d {f}", "eml"
        ),
        "xxd": Code(codings.xxd, "xxd -r {f}", "dump"),
        "octal": Code(codings.octal, "printf '%b' \"$(cat {f})\"", "tr"),
        "entities": Code(codings.entities, _py("import html;print(html.unescape(open('{f}').read()))"), "htm"),
        "bits": Code(codings.bits, _py("b=open('{f}').read().replace(' ','');" + _BITS), "mask"),
        "morse": Code(codings.morse, "morse -d < {f}", "cw"),
        "base58": Code(codings.base58, "base58 -d {f}", "addr"),
        "ascii85": Code(
            lambda data: base64.a85encode(data, wrapcol=72, adobe=True),
            _py("import base64;print(base64.a85decode(open('{f}','rb').read(),adobe=True).decode())"),
            "ps",
        ),
        "rot47": Code(codings.rot47, "tr '!-~' 'P-~!-O' < {f}", "dat"),
        "caesar": Code(codings.caesar, "tr 'd-za-cD-ZA-C' 'a-zA-Z' < {f}"),
        "moved by a word": Code(
            codings.vigenere,
            _py(
                f"k={codings.CIPHER!r};d=bytes.fromhex(open('{{f}}').read());"
                "print(bytes((b-k[i%len(k)])%256 for i,b in enumerate(d)).decode())"
            ),
            "hex",
        ),
        "masked": Code(
            codings.masked,
            _py(
                f"k={codings.MASK!r};d=open('{{f}}','rb').read();print(bytes(b^k[i%len(k)] for i,b in enumerate(d)).decode())"  # noqa: E501  a command or text as it is written
            ),
            "bin",
        ),
        "intel hex": Code(codings.ihex, "objcopy -I ihex -O binary {f} /dev/stdout", "ihex"),
        "last bits": Code(
            codings.pixels,
            _py("d=open('{f}','rb').read().split(b'\\n',3)[3];b=''.join(str(x&1) for x in d);" + _BITS),
            "pgm",
        ),
        "no width": Code(
            codings.invisible,
            _py(
                "b=''.join({{'\\u200b':'0','\\u200c':'1'}}.get(c,'') for c in open('{f}',encoding='utf-8').read());"
                + _BITS
            ),
            "md",
        ),
        "trailing blanks": Code(
            codings.trailing, _py("b=''.join('01'[c==chr(9)] for l in open('{f}') for c in l[-9:-1]);" + _BITS), "plan"
        ),
        "genes": Code(
            codings.genes,
            _py(
                "s=''.join(open('{f}').read().split(chr(10))[1:]);"
                "b=''.join(format('ACGT'.index(c),'02b') for c in s);" + _BITS
            ),
            "fa",
        ),
        "braille": Code(
            codings.dots,
            _py("print(bytes(ord(c)-0x2800 for c in open('{f}',encoding='utf-8').read()).decode())"),
            "brl",
        ),
        "picture signs": Code(
            codings.faces, _py("print(bytes(ord(c)-0x1F300 for c in open('{f}',encoding='utf-8').read()).decode())")
        ),
        "array": Code(codings.array, "grep -o '0x..' {f} | xxd -r -p | bzcat", "h"),
        "rc4": Code(codings.rc4, "openssl enc -d -rc4-40 -K 1032547698 -a -A -provider legacy -in {f}", "enc"),
        "columns": Code(
            codings.columns,
            _py(
                "d=bytes.fromhex(open('{f}').read());n=len(d);q,r=divmod(n,7);o=bytearray(n);p=0\n"
                "for s in range(7):\n w=q+(s<r);o[s::7]=d[p:p+w];p+=w\nprint(o.decode())"
            ),
            "hex",
        ),
        "document": Code(codings.document, "unzip -p {f} word/document.xml | sed 's/<[^>]*>//g'", "docx"),
        "page": Code(codings.page, "qpdf --stream-data=uncompress {f} - | strings", "pdf"),
        "vector": Code(
            codings.vector, _py("import numpy,zlib;print(zlib.decompress(numpy.load('{f}').tobytes()).decode())"), "npy"
        ),
        "ebcdic": Code(lambda data: data.decode().encode("cp037", "replace"), "iconv -f IBM037 -t UTF-8 {f}", "vsam"),
        "utf-7": Code(lambda data: data.decode().encode("utf-7"), "iconv -f UTF-7 -t UTF-8 {f}"),
        "utf-32": Code(lambda data: data.decode().encode("utf-32"), "iconv -f UTF-32 -t UTF-8 {f}", "u32"),
        "reversed base64": Code(lambda data: base64.b64encode(data)[::-1], "rev {f} | base64 -d", "tok"),
        "gzip, base32": Code(
            lambda data: base64.b32encode(gzip.compress(data, mtime=0)), "base32 -d {f} | zcat", "b32"
        ),
    }
)
"""By name."""

ASCII = tuple(
    name
    for name, code in CODES.items()
    if name
    not in (
        "masked",
        "last bits",
        "document",
        "page",
        "vector",
        "ebcdic",
        "utf-32",
        "no width",
        "braille",
        "picture signs",
    )
)
"""Those that can be printed and written in a call."""
