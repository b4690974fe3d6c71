import Testing

@testable import RepriseWeb

@Suite struct ServerAddressTests {
    private let local = ServerAddress(port: 8075)
    private let proxied: ServerAddress

    init() throws {
        proxied = ServerAddress(
            port: 8075, publicOrigin: try PublicOrigin("https://panel.example.org"))
    }

    @Test func `a login link begins with the address that users open`() {
        #expect(local.loginLink("0f") == "http://127.0.0.1:8075/#0f")
        #expect(proxied.loginLink("0f") == "https://panel.example.org/#0f")
    }

    @Test func `browsers send the cookie of the proxy only over HTTPS and to this host`() {
        let cookie = proxied.cookie(forHost: "panel.example.org")
        #expect(
            cookie.header("0f")
                == "__Host-reprise-8075=0f; HttpOnly; SameSite=Strict; Path=/; Secure")
        #expect(cookie.name == "__Host-reprise-8075")
    }

    @Test func `the cookie of this host needs no HTTPS`() throws {
        let plain = ServerAddress(
            port: 8075, publicOrigin: try PublicOrigin("http://localhost:9000"))
        for (address, host) in [
            (local, "127.0.0.1:8075"), (local, "panel.example.org"), (local, nil),
            (proxied, "127.0.0.1:8075"), (proxied, nil), (plain, "localhost:9000"),
        ] {
            let cookie = address.cookie(forHost: host)
            #expect(cookie.header("0f") == "reprise-8075=0f; HttpOnly; SameSite=Strict; Path=/")
        }
    }
}
