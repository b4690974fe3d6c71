import Dispatch
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import Varlink

/// Follows a scene on a thread of its own, also across restarts of the daemon, and hands what it hears to a
/// loop that waits for a descriptor.
final class AttachFeed: Sendable {
    /// Something that the loop is told.
    enum Event: Sendable {
        case reply(AttachCall.Reply)
        /// The daemon is away, and is waited for.
        case away
        /// It does not come back for this scene: a sentence.
        case failed(String)
    }

    private struct Following: Sendable {
        /// Which follower is heard: what an earlier one tells is not.
        var number = 0
        /// Ends the connection of that one.
        var end: (@Sendable () -> Void)?
        var events: [Event] = []
    }

    /// How many events wait at most: then the daemon does, too.
    private static let mostEvents = 64

    private struct Superseded: Error {}

    /// How long it waits before it tries again to reach a daemon that is away: at first, and at most.
    private static let pauses = (first: useconds_t(50_000), last: useconds_t(1_000_000))

    private let following = Mutex(Following())
    private let room = DispatchSemaphore(value: mostEvents)
    /// Can be read when there is something to take.
    let reading: FileDescriptor
    /// Makes ``reading`` readable.
    let writing: FileDescriptor

    init() throws {
        let ends = try FileDescriptor.pipe()
        (reading, writing) = (ends.readEnd, ends.writeEnd)
        for end in [reading, writing] {
            _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Has ``reading`` wait for the next wake-up.
    func quiet() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while Glibc.read(reading.rawValue, &bytes, bytes.count) == bytes.count {}
    }

    /// The events since this was asked last.
    func take() -> [Event] {
        quiet()
        let events = following.withLock { following in
            defer { following.events = [] }
            return following.events
        }
        for _ in events { room.signal() }
        return events
    }

    /// Follows from now on, instead of who did before: the next reply has everything.
    ///
    /// - Parameter daemon: the way to the daemon, used by this alone.
    func follow(_ call: AttachCall, over daemon: sending DaemonConnection) {
        let (number, dropped) = following.withLock { following in
            following.end?()
            following.end = nil
            following.number += 1
            let dropped = following.events.count
            following.events = []
            return (following.number, dropped)
        }
        for _ in 0..<dropped { room.signal() }
        // Handed over above.
        nonisolated(unsafe) let daemon = daemon
        DispatchQueue(label: "org.reprise.attach").async {
            var pause = Self.pauses.first
            while self.isCurrent(number) {
                do {
                    try self.follow(call, over: daemon, as: number) { pause = Self.pauses.first }
                } catch is Superseded {
                    return
                } catch let error as VarlinkError where error.tellsEnd {
                    // It comes again.
                } catch let error as ClientError where error.mayPass {
                    // It may come.
                } catch let error as VarlinkError {
                    let sentence = ControlError(error)?.description ?? error.description
                    return self.post(.failed(sentence), by: number)
                } catch {
                    return self.post(.failed("\(error)"), by: number)
                }
                self.post(.away, by: number)
                usleep(pause)
                pause = min(2 * pause, Self.pauses.last)
            }
        }
    }

    private func follow(
        _ call: AttachCall, over daemon: DaemonConnection, as number: Int, _ didHear: () -> Void
    ) throws {
        // Its connection is shut down from another thread, which the system allows at any time.
        nonisolated(unsafe) let client = try daemon.connect()
        let isHeard = following.withLock { following in
            guard following.number == number else { return false }
            following.end = { client.disconnect() }
            return true
        }
        guard isHeard else { throw Superseded() }
        try client.follow(AttachCall.qualifiedMethod, json: try JSONText.encode(call)) { reply in
            guard isCurrent(number) else { throw Superseded() }
            didHear()
            post(.reply(try AttachCall.decode(reply)), by: number)
        }
    }

    private func isCurrent(_ number: Int) -> Bool { following.withLock { $0.number == number } }

    private func post(_ event: Event, by number: Int) {
        room.wait()
        let isHeard = following.withLock { following in
            if following.number == number { following.events.append(event) }
            return following.number == number
        }
        guard isHeard else { return _ = room.signal() }
        wake()
    }

    /// Makes ``reading`` readable.
    func wake() {
        var byte: UInt8 = 0
        _ = Glibc.write(writing.rawValue, &byte, 1)
    }
}

extension VarlinkError {
    /// Whether it says that the daemon ends.
    fileprivate var tellsEnd: Bool {
        if case .daemonEnding? = ControlError(self) { true } else { false }
    }
}
