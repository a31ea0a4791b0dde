"""Public resolvers that answer over HTTPS or TLS: who talks to one may be looking up names where no record sees it."""

DOT_PORT = 853
NAMES = frozenset(
    {
        "chrome.cloudflare-dns.com",
        "cloudflare-dns.com",
        "dns.adguard-dns.com",
        "dns.adguard.com",
        "dns.google",
        "dns.google.com",
        "dns.mullvad.net",
        "dns.nextdns.io",
        "dns.quad9.net",
        "dns.sb",
        "dns10.quad9.net",
        "dns11.quad9.net",
        "dns9.quad9.net",
        "doh.cleanbrowsing.org",
        "doh.dns.sb",
        "doh.opendns.com",
        "mozilla.cloudflare-dns.com",
        "one.one.one.one",
        "unfiltered.adguard-dns.com",
    }
)
ADDRESSES = frozenset(
    {
        "1.0.0.1",
        "1.1.1.1",
        "149.112.112.112",
        "2001:4860:4860::8844",
        "2001:4860:4860::8888",
        "208.67.220.220",
        "208.67.222.222",
        "2606:4700:4700::1001",
        "2606:4700:4700::1111",
        "2620:fe::9",
        "2620:fe::fe",
        "8.8.4.4",
        "8.8.8.8",
        "9.9.9.9",
    }
)


def is_resolver(*, name: str | None, address: str, port: int) -> bool:
    """Whether a TLS connection to this place may carry look-ups. A hint: any other server may answer them too."""
    return port == DOT_PORT or (name or "").lower() in NAMES or address in ADDRESSES
