import LinuxIO
import Synchronization
import TestSupport
import Testing

@testable import RepriseWeb

@Suite struct TokenStoreTests {
    private let scratch: ScratchDirectory
    private let store: TokenStore
    private static let lifetime: Int64 = 600

    /// Time that the test sets.
    private final class Time: Sendable {
        let seconds = Mutex<Int64>(1_000_000)
    }
    private let time = Time()

    init() throws {
        scratch = try ScratchDirectory()
        let time = time
        store = try TokenStore(
            path: scratch.file("tokens"), lifetime: Self.lifetime,
            now: { time.seconds.withLock { $0 } })
    }

    @Test func `a token is accepted until it expires`() throws {
        let token = try #require(try store.issue())
        #expect(try store.accepts(token))
        time.seconds.withLock { $0 += Self.lifetime - 1 }
        #expect(try store.accepts(token))
        time.seconds.withLock { $0 += 1 }
        #expect(try !store.accepts(token))
        #expect(try !store.redeem(token))
    }

    @Test func `a token can be redeemed once`() throws {
        let token = try #require(try store.issue())
        #expect(try store.redeem(token))
        #expect(try !store.redeem(token))
        #expect(try !store.accepts(token))
    }

    @Test func `another process accepts the token`() throws {
        let other = try TokenStore(
            path: scratch.file("tokens"), lifetime: Self.lifetime, now: { 1_000_000 })
        let token = try #require(try other.issue())
        #expect(try store.accepts(token))
    }

    @Test func `a text that is not a token is refused`() throws {
        let token = try #require(try store.issue())
        let name = String(token.prefix(16))
        let wrong = [
            "", name, token + "0", String(token.dropLast()), token.uppercased() + "A",
            name + String(repeating: "0", count: 48), "../../../etc/passwd",
            String(repeating: "/", count: 64), String(repeating: "é", count: 32),
            token + "\u{301}",
        ]
        for text in wrong {
            #expect(try !store.accepts(text), "\(text)")
            #expect(try !store.redeem(text), "\(text)")
        }
        #expect(try store.accepts(token))
    }

    @Test func `an incomplete token of another process is not deleted`() throws {
        let directory = try #require(try Directory.open(scratch.file("tokens")))
        let name = "0123456789abcdef.new"
        _ = try directory.createFile(name)
        _ = try #require(try store.issue())
        #expect(try directory.names().contains(name))
    }

    @Test func `the number of tokens is limited, and expired tokens do not count`() throws {
        for _ in 0..<TokenStore.maximumTokens { _ = try #require(try store.issue()) }
        #expect(try store.issue() == nil)
        time.seconds.withLock { $0 += Self.lifetime }
        #expect(try store.issue() != nil)
    }
}
