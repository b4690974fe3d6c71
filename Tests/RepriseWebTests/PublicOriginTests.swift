import Testing

@testable import RepriseWeb

@Suite struct PublicOriginTests {
    @Test(arguments: [
        ("https://panel.example.org", "panel.example.org"),
        ("https://panel.example.org/", "panel.example.org"),
        ("HTTPS://Panel.Example.ORG:443", "panel.example.org"),
        ("https://panel.example.org:8443", "panel.example.org:8443"),
        ("https://panel.example.org:80", "panel.example.org:80"),
        ("https://192.0.2.1", "192.0.2.1"),
        ("https://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("https://panel", "panel"),
    ])
    func `an origin contains the host as browsers send it`(text: String, host: String) throws {
        let origin = try PublicOrigin(text)
        #expect(origin.host == host)
        #expect(origin.usesHTTPS)
        #expect("\(origin)" == "https://\(host)")
    }

    @Test func `without TLS, only this host is accepted`() throws {
        #expect("\(try PublicOrigin("http://localhost:9000"))" == "http://localhost:9000")
        #expect("\(try PublicOrigin("http://127.0.0.1:80"))" == "http://127.0.0.1")
        for text in [
            "http://panel.example.org", "http://localhost.example.org", "http://192.0.2.1",
        ] {
            #expect(throws: InvalidOrigin.notHTTPS) { try PublicOrigin(text) }
        }
    }

    @Test(
        arguments: [
            ("", .noScheme), ("panel.example.org", .noScheme),
            ("ftp://panel.example.org", .noScheme),
            ("https:/panel.example.org", .noScheme), ("null", .noScheme),
            ("https://panel.example.org/panel", .notOnlyHost), ("https://panel//", .notOnlyHost),
            ("https://panel?a", .notOnlyHost), ("https://panel#a", .notOnlyHost),
            ("https://a@panel", .notOnlyHost),
            ("https://", .invalidHost("")), ("https:///", .invalidHost("")),
            ("https://:443", .invalidHost("")), ("https://panel.", .invalidHost("panel.")),
            ("https://a..b", .invalidHost("a..b")),
            ("https://bücher.example", .invalidHost("bücher.example")),
            ("https://[::1]:443", .invalidHost("[::1]:443")), ("https://a b", .invalidHost("a b")),
            ("https://a\r\nb", .invalidHost("a\r\nb")),
            ("https://panel:", .invalidPort("")), ("https://panel:0", .invalidPort("0")),
            ("https://panel:65536", .invalidPort("65536")), ("https://panel:x", .invalidPort("x")),
            ("https://panel:1:2", .invalidPort("1:2")),
        ] as [(String, InvalidOrigin)])
    func `a text that is not an origin is refused`(text: String, error: InvalidOrigin) {
        #expect(throws: error) { try PublicOrigin(text) }
    }

    @Test func `a host name has at most 253 characters`() throws {
        let name = Array(repeating: "abcdefg", count: 32).joined(separator: ".")
        #expect(try PublicOrigin("https://\(name.dropLast(2))").host.utf8.count == 253)
        #expect(throws: InvalidOrigin.self) { try PublicOrigin("https://\(name.dropLast(1))") }
    }

    @Test func `the error says what to do, and contains no control characters`() {
        #expect("\(InvalidOrigin.invalidHost("a\u{1B}b"))".contains(#""a\u{1B}b""#))
        #expect("\(InvalidOrigin.invalidPort("0"))".contains("from 1 to 65535"))
    }
}
