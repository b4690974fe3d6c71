import LinuxIO
import TestSupport
import Testing

@testable import RepriseWeb

@Suite struct TokenStoreTests {
    private let scratch: ScratchDirectory
    private let store: TokenStore
    private let time = TestTime()
    private static let lifetime = Duration.seconds(600)

    init() throws {
        scratch = try ScratchDirectory()
        let time = time
        store = TokenStore(
            in: try .openOrCreate(scratch.file("tokens")), maximumLifetime: Self.lifetime,
            now: { time.now })
    }

    private func issue(_ grant: SessionGrant = .ordinary) throws -> String {
        try #require(try store.issue(grant, validFor: Self.lifetime))
    }

    @Test func `a token is accepted until it expires`() throws {
        let token = try issue()
        #expect(try store.token(token) != nil)
        time.advance(by: Self.lifetime - .seconds(1))
        #expect(try store.token(token) != nil)
        #expect(try store.tokens().count == 1)
        time.advance(by: .seconds(1))
        #expect(try store.token(token) == nil)
        #expect(try store.token(named: String(token.prefix(16))) == nil)
        #expect(try store.tokens() == [])
    }

    @Test func `a token contains its grant and its expiration`() throws {
        let grant = try #require(SessionGrant(role: .observer, lifetime: .seconds(3600)))
        let text = try issue(grant)
        let token = try #require(try store.token(text))
        #expect(token.grant == grant)
        #expect(token.expiration == 1_000_600)
        #expect(text.hasPrefix(token.identifier))
        #expect(try store.tokens() == [token])
        #expect(try store.token(named: token.identifier) == token)
    }

    @Test func `a token can be removed once`() throws {
        let token = try issue()
        let identifier = try #require(try store.token(token)).identifier
        #expect(try store.remove(identifier))
        #expect(try !store.remove(identifier))
        #expect(try store.token(token) == nil)
    }

    @Test func `tokens are listed in the order in which they expire`() throws {
        let lifetimes: [Int64] = [300, 100, 200]
        for lifetime in lifetimes {
            _ = try store.issue(.ordinary, validFor: .seconds(lifetime))
        }
        #expect(try store.tokens().map(\.expiration) == [1_000_100, 1_000_200, 1_000_300])
    }

    @Test func `another process accepts the token`() throws {
        let other = TokenStore(
            in: try .openOrCreate(scratch.file("tokens")), maximumLifetime: Self.lifetime,
            now: { 1_000_000 })
        let token = try #require(try other.issue(.ordinary, validFor: Self.lifetime))
        #expect(try store.token(token) != nil)
    }

    @Test func `a text that is not a token is refused`() throws {
        let token = try issue()
        let name = String(token.prefix(16))
        let wrong = [
            "", name, token + "0", String(token.dropLast()), token.uppercased() + "A",
            name + String(repeating: "0", count: 48), "../../../etc/passwd",
            String(repeating: "/", count: 64), String(repeating: "é", count: 32),
            token + "\u{301}",
        ]
        for text in wrong { #expect(try store.token(text) == nil, "\(text)") }
        #expect(try store.token(token) != nil)
    }

    @Test func `a text that is not an identifier removes nothing`() throws {
        let directory = try #require(try Directory.open(scratch.file("tokens")))
        _ = try directory.createFile("other")
        let token = try issue()
        for text in ["", ".", "other", "../tokens/other", token, "..//////////////"] {
            #expect(try !store.remove(text), "\(text)")
            #expect(try store.token(named: text) == nil, "\(text)")
        }
        #expect(try directory.names().contains("other"))
        #expect(try store.token(token) != nil)
    }

    @Test(arguments: [
        "", "1000600 user 43200", "1000600", "x user 43200", "9223372036854775807 user 43200",
        "-9223372036854775808 user 43200", "1000600 admin 43200", "1000600 user x",
        "1000600 user 0", "1000600 user 9223372036854775807", "1000600 user 43200 x",
        "999999 user 43200",
    ])
    func `a file with other contents is not a token`(fields: String) throws {
        let directory = try #require(try Directory.open(scratch.file("tokens")))
        let (name, secret) = ("0123456789abcdef", String(repeating: "0", count: 48))
        let isToken = fields == "1000600 user 43200"
        try directory.createFile(name).write(Array("\(secret) \(fields)".utf8))
        #expect(try (store.token(name + secret) != nil) == isToken)
        #expect(try store.tokens().count == (isToken ? 1 : 0))
    }

    @Test func `a token remains if the clock is set back, and is accepted again afterwards`() throws
    {
        let token = try issue()
        time.advance(by: .seconds(-3600))
        #expect(try store.token(token) == nil)
        _ = try issue()
        time.advance(by: .seconds(3600))
        #expect(try store.token(token) != nil)
        time.advance(by: .seconds(-600))
        #expect(try store.token(token) != nil)
    }

    @Test func `an incomplete token of another process is not deleted`() throws {
        let directory = try #require(try Directory.open(scratch.file("tokens")))
        let name = "0123456789abcdef.new"
        _ = try directory.createFile(name)
        _ = try issue()
        #expect(try directory.names().contains(name))
    }

    @Test func `the number of tokens is limited, and expired tokens do not count`() throws {
        // Issuing the tokens would sync every file.
        let directory = try #require(try Directory.open(scratch.file("tokens")))
        let content = "\(String(repeating: "0", count: 48)) 1000600 user 43200"
        for number in 1..<TokenStore.maximumTokens {
            try directory.createFile("\(1_000_000_000_000_000 + number)").write(Array(content.utf8))
        }
        _ = try issue()
        #expect(try store.issue(.ordinary, validFor: Self.lifetime) == nil)
        time.advance(by: Self.lifetime)
        #expect(try store.issue(.ordinary, validFor: Self.lifetime) != nil)
    }
}
