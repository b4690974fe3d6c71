import Glibc
import LinuxIO
import Synchronization
import TestSupport
import Testing

@testable import RepriseWeb

@Suite struct SessionStoreTests {
    private let scratch: ScratchDirectory
    private let store: SessionStore
    private let time = TestTime()

    init() throws {
        scratch = try ScratchDirectory()
        let time = time
        store = try SessionStore(path: scratch.file("8075"), now: { time.now })
    }

    private func logIn(_ grant: SessionGrant = .ordinary) throws -> String {
        let link = try #require(try store.makeLink(grant))
        return try #require(try store.logIn(with: link))
    }

    @Test func `a link starts one session, within ten minutes`() throws {
        let link = try #require(try store.makeLink(.ordinary))
        #expect(try store.unusedLinks().count == 1)
        #expect(try store.session(link) == nil)
        #expect(try store.logIn(with: link) != nil)
        #expect(try store.logIn(with: link) == nil)
        #expect(try store.unusedLinks() == [])
        #expect(try store.validSessions().count == 1)

        let late = try #require(try store.makeLink(.ordinary))
        time.advance(by: SessionStore.linkLifetime)
        #expect(try store.logIn(with: late) == nil)
    }

    @Test(arguments: [Session.Role.user, .observer])
    func `a session has the role and the lifetime of its link`(role: Session.Role) throws {
        let grant = try #require(SessionGrant(role: role, lifetime: .seconds(7200)))
        let link = try #require(try store.makeLink(grant))
        time.advance(by: .seconds(300))
        let secret = try #require(try store.logIn(with: link))
        let session = try #require(try store.session(secret))
        #expect(session.role == role)
        #expect(session.expiration == 1_000_300 + 7200)
        time.advance(by: .seconds(7199))
        #expect(try store.isValid(session))
        time.advance(by: .seconds(1))
        #expect(try !store.isValid(session))
        #expect(try store.session(secret) == nil)
    }

    @Test func `sessions survive a restart of the server`() throws {
        let secret = try logIn()
        let time = time
        let restarted = try SessionStore(path: scratch.file("8075"), now: { time.now })
        #expect(try restarted.session(secret) == store.session(secret))
    }

    @Test func `a revoked session or link is not valid`() throws {
        let (first, second) = (try logIn(), try logIn())
        let session = try #require(try store.session(first))
        #expect(try store.revoke(session.identifier))
        #expect(try !store.revoke(session.identifier))
        #expect(try !store.isValid(session))
        #expect(try store.session(first) == nil)
        #expect(try store.session(second) != nil)

        let link = try #require(try store.makeLink(.ordinary))
        let identifier = try #require(try store.unusedLinks().first).identifier
        #expect(try store.revoke(identifier))
        #expect(try store.logIn(with: link) == nil)
    }

    @Test func `all sessions and links can be revoked at once`() throws {
        _ = try logIn()
        _ = try logIn()
        let link = try #require(try store.makeLink(.ordinary))
        #expect(try store.revokeAll() == (2, 1))
        #expect(try store.validSessions() == [])
        #expect(try store.unusedLinks() == [])
        #expect(try store.logIn(with: link) == nil)
    }

    @Test func `a link that is revoked during a login starts no session`() throws {
        let link = try #require(try store.makeLink(.ordinary))
        let identifier = try #require(try store.unusedLinks().first).identifier
        let path = scratch.file("8075")
        let calls = Atomic(0)
        // The clock is read when the link is checked, and again when the session is issued.
        let racing = try SessionStore(path: path) {
            if calls.add(1, ordering: .relaxed).newValue == 2 {
                unlink("\(path)/logins/\(identifier)")
            }
            return 1_000_000
        }
        #expect(try racing.logIn(with: link) == nil)
        #expect(try store.validSessions() == [])
    }

    @Test func `only a server creates a store`() throws {
        #expect(try SessionStore(existingPath: scratch.file("8076")) == nil)
        #expect(try Directory.open(scratch.file("8076")) == nil)
        #expect(try SessionStore(existingPath: scratch.file("8075")) != nil)
    }

    @Test func `an identifier that does not exist is not revoked`() throws {
        let secret = try logIn()
        for text in ["", "0123456789abcdef", "../sessions", secret] {
            #expect(try !store.revoke(text), "\(text)")
        }
        #expect(try store.session(secret) != nil)
    }

    @Test func `the lifetime of a session is limited`() {
        let (minute, month) = (Duration.seconds(60), Duration.seconds(30 * 24 * 3600))
        for lifetime in [minute, month] {
            #expect(SessionGrant(role: .user, lifetime: lifetime) != nil)
        }
        for lifetime in [minute - .milliseconds(1), month + .milliseconds(1), .zero] {
            #expect(SessionGrant(role: .user, lifetime: lifetime) == nil)
        }
        #expect(SessionGrant.ordinary.lifetime == .seconds(12 * 3600))
        #expect(SessionGrant.ordinary.role == .user)
    }

    @Test func `the origin of the server is recorded until the server runs without a proxy`() throws
    {
        #expect(try store.publicOrigin() == nil)
        let origin = try PublicOrigin("https://panel.example.org:8443")
        try store.record(origin)
        let existing = try #require(try SessionStore(existingPath: scratch.file("8075")))
        #expect(try existing.publicOrigin() == origin)
        try store.record(nil)
        #expect(try existing.publicOrigin() == nil)
        try store.record(nil)
    }
}
