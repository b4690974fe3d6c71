import Dispatch
import Glibc
import RepriseControl
import SystemPackage
import Testing

@testable import reprisectl

/// Events that a feed passes to the loop of a client.
@Suite struct AttachFeedTests {
    /// Returns whether a feed is readable.
    ///
    /// - Parameter timeout: Timeout for poll(2), where -1 waits until the feed is readable.
    private func isReadable(_ feed: AttachFeed, timeout: CInt = 0) -> Bool {
        var descriptor = pollfd(fd: feed.readDescriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, timeout) == 1
    }

    @Test(arguments: [1, 255, 256, 257, 1000])
    func `quiet() clears all pending wake-ups at once`(count: Int) throws {
        let feed = try AttachFeed()
        #expect(!isReadable(feed))
        for _ in 0..<count { feed.wakeMainLoop() }
        #expect(isReadable(feed))
        feed.drain()
        #expect(!isReadable(feed))
    }

    @Test func `a feed's descriptors are nonblocking and are not inherited by child processes`()
        throws
    {
        let feed = try AttachFeed()
        for end in [feed.readDescriptor, feed.writeDescriptor] {
            #expect(fcntl(end.rawValue, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(end.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    /// Reply with a rendering that has no lines.
    private func reply(of application: String) -> String {
        #"{"parameters":{"application":"\#(application)","height":0,"lines":[]},"continues":true}"#
    }

    /// Error that ends the follower.
    private let error = #"{"error":"org.reprise.Control.NoSuchObject","parameters":{"path":"nav"}}"#

    /// Waits until the daemon ends a follower, and returns the applications of the replies.
    private func applications(until feed: AttachFeed) -> [String] {
        var applications: [String] = []
        while isReadable(feed, timeout: -1) {
            for event in feed.popEvents() {
                switch event {
                case .reply(let reply, _): applications.append(reply.application ?? "")
                case .unavailable: applications.append("away")
                case .ownerUnknown(let sentence): applications.append(sentence)
                case .failed: return applications
                }
            }
        }
        return applications
    }

    @Test func `more events than the queue holds all arrive in order`() throws {
        let daemon = try StubDaemon()
        let feed = try AttachFeed()
        let replies = (0..<200).map { reply(of: "\($0)") } + [error]
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            _ = daemon.serve(replies.joined(separator: "\0"))
        }
        feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
        #expect(applications(until: feed) == (0..<200).map { "\($0)" })
        servingGroup.wait()
    }

    @Test func `if an application has lost its owner, the feed waits until the owner is known`()
        throws
    {
        let daemon = try StubDaemon()
        let feed = try AttachFeed()
        let errors = ["null", "\"far\""].map {
            #"{"error":"org.reprise.Control.OwnedElsewhere","parameters":"#
                + #"{"application":"a","host":\#($0),"reason":null}}"#
        }
        let replies = [reply(of: "a") + "\0" + errors[0], errors[1]]
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            for reply in replies { close(daemon.serve(reply)) }
        }
        feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
        let sentence = ControlError.ownedElsewhere(application: "a", host: nil).description
        #expect(applications(until: feed) == ["a", sentence])
        #expect(servingGroup.wait(timeout: .now() + .seconds(60)) == .success)
    }

    @Test func `events of a previous follower are dropped`() throws {
        let daemon = try StubDaemon()
        let feed = try AttachFeed()
        for replies in [[reply(of: "first")], [reply(of: "second"), error]] {
            let servingGroup = DispatchGroup()
            DispatchQueue(label: "own thread").async(group: servingGroup) {
                _ = daemon.serve(replies.joined(separator: "\0"))
            }
            feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
            servingGroup.wait()
            if replies.count == 1 { #expect(isReadable(feed, timeout: -1)) }
        }
        #expect(applications(until: feed) == ["second"])
    }

    @Test func `a new follower closes the connection of the previous follower`() throws {
        let daemon = try StubDaemon()
        let feed = try AttachFeed()
        let reply = reply(of: "first")
        let servingGroup = DispatchGroup()
        DispatchQueue(label: "own thread").async(group: servingGroup) {
            let connection = daemon.serve(reply)
            // Returns when the client closes the connection.
            _ = daemon.call(on: connection)
            close(connection)
        }
        feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
        #expect(isReadable(feed, timeout: -1))
        feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
        #expect(servingGroup.wait(timeout: .now() + .seconds(60)) == .success)
        close(daemon.serve(error))
        #expect(applications(until: feed).isEmpty)
    }

    @Test func `dropped events leave space for all events of the next follower`() throws {
        let daemon = try StubDaemon()
        let feed = try AttachFeed()
        var connections: [CInt] = []
        for application in ["first", "second"] {
            feed.follow(AttachCall(), over: DaemonConnection(socket: daemon.path))
            let connection = daemon.serve(reply(of: application))
            connections.append(connection)
            // The queue holds 64 events.
            for _ in 1..<64 {
                try #require(isReadable(feed, timeout: 60_000))
                feed.drain()
                daemon.send(reply(of: application), on: connection)
            }
            try #require(isReadable(feed, timeout: 60_000))
        }
        daemon.send(error, on: connections[1])
        #expect(applications(until: feed) == Array(repeating: "second", count: 64))
        for connection in connections { close(connection) }
    }
}
