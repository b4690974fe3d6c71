import Testing

@testable import RepriseWeb

@Suite struct RequestPolicyTests {
    private let policy = RequestPolicy(ServerAddress(port: 8075))
    private static let origin = "http://127.0.0.1:8075"

    private func isAccepted(
        _ host: String? = "127.0.0.1:8075", changesState: Bool = false, origin: String? = nil,
        fetchSite: String? = nil, contentType: String? = "application/json",
        acceptsForm: Bool = false
    ) -> Bool {
        policy.refusal(
            of: RequestPolicy.Attributes(
                changesState: changesState, acceptsForm: acceptsForm, host: host, origin: origin,
                fetchSite: fetchSite, contentType: contentType)) == nil
    }

    @Test func `only the names of this host are accepted`() {
        #expect(isAccepted("127.0.0.1:8075"))
        #expect(isAccepted("localhost:8075"))
        #expect(isAccepted("[::1]:8075"))
        for host in [
            nil, "", "127.0.0.1", "127.0.0.1:80", "evil.example:8075",
            "localhost:8075.evil.example",
            "evil.example@127.0.0.1:8075", "LOCALHOST:8075\u{301}",
        ] {
            #expect(!isAccepted(host), "\(host ?? "nil")")
        }
    }

    @Test func `browsers omit the default port`() {
        let policy = RequestPolicy(ServerAddress(port: 80))
        for host in ["localhost", "localhost:80"] {
            let attributes = RequestPolicy.Attributes(
                changesState: true, host: host, origin: "http://\(host)",
                contentType: "application/json")
            #expect(policy.refusal(of: attributes) == nil)
        }
    }

    @Test func `a request from another site is refused`() {
        #expect(isAccepted(origin: Self.origin, fetchSite: "same-origin"))
        #expect(isAccepted(fetchSite: "none"))
        for site in ["cross-site", "same-site", ""] { #expect(!isAccepted(fetchSite: site)) }
        for origin in [
            "null", "", "http://127.0.0.1", "http://localhost:8075", "https://127.0.0.1:8075",
        ] {
            #expect(!isAccepted(origin: origin), "\(origin)")
        }
    }

    @Test func `a request that changes state names its origin and contains JSON`() {
        #expect(isAccepted(changesState: true, origin: Self.origin))
        #expect(!isAccepted(changesState: true))
        #expect(!isAccepted(changesState: true, origin: Self.origin, contentType: "text/plain"))
        #expect(!isAccepted(changesState: true, origin: Self.origin, contentType: nil))
    }

    @Test func `a form is accepted only where it is expected`() {
        let form = "application/x-www-form-urlencoded"
        func isAccepted(_ contentType: String?, _ acceptsForm: Bool, origin: String? = Self.origin)
            -> Bool
        {
            self.isAccepted(
                changesState: true, origin: origin, contentType: contentType,
                acceptsForm: acceptsForm)
        }
        #expect(isAccepted(form, true))
        #expect(!isAccepted(form, false))
        #expect(!isAccepted("application/json", true))
        #expect(!isAccepted("text/plain", true))
        #expect(!isAccepted(form, true, origin: nil))
        #expect(!isAccepted(form, true, origin: "null"))
        #expect(!isAccepted(form, true, origin: "http://evil.example"))
    }

    @Test func `behind a proxy, the public host and this host are accepted`() throws {
        let policy = RequestPolicy(
            ServerAddress(port: 8075, publicOrigin: try PublicOrigin("https://panel.example.org")))
        func isAccepted(_ host: String, from origin: String?, site: String? = nil) -> Bool {
            policy.refusal(
                of: RequestPolicy.Attributes(
                    changesState: origin != nil, host: host, origin: origin, fetchSite: site,
                    contentType: "application/json")) == nil
        }
        let (host, origin) = ("panel.example.org", "https://panel.example.org")
        #expect(isAccepted(host, from: nil, site: "none"))
        #expect(isAccepted(host, from: origin, site: "same-origin"))
        #expect(isAccepted("127.0.0.1:8075", from: Self.origin))
        #expect(!isAccepted(host, from: origin, site: "cross-site"))
        for host in [
            "example.org", "panel.example.org:443", "panel.example.org:8075", "a.panel.example.org",
            "panel.example.org.evil.example", "",
        ] {
            #expect(!isAccepted(host, from: nil), "\(host)")
        }
        for (host, origin) in [
            (host, "http://panel.example.org"), (host, "https://panel.example.org:8443"),
            (host, "https://evil.example"), (host, "null"), (host, Self.origin),
            ("127.0.0.1:8075", origin), ("127.0.0.1:8075", "https://127.0.0.1:8075"),
        ] {
            #expect(!isAccepted(host, from: origin), "\(host), \(origin)")
        }
    }

    @Test func `a refusal of a host says what to configure`() throws {
        let attributes = RequestPolicy.Attributes(changesState: false, host: "evil.example")
        #expect(policy.refusal(of: attributes)?.contains("--origin") == true)
        let proxied = RequestPolicy(
            ServerAddress(port: 8075, publicOrigin: try PublicOrigin("https://panel.example.org")))
        #expect(proxied.refusal(of: attributes)?.contains("panel.example.org") == true)
    }
}
