import Dispatch
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import Varlink

/// Feed that follows a scene on its own thread and continues across restarts of the daemon.
///
/// The feed passes events to a loop that waits for a descriptor.
final class AttachFeed: Sendable {
    /// Event for the loop.
    enum Event: Sendable {
        case reply(AttachCall.Reply)
        /// The daemon is unavailable, and the feed waits for it.
        case away
        /// The daemon no longer sends events for this scene, for the reason in the associated value.
        case failed(String)
    }

    private struct Following: Sendable {
        /// Number of the current follower. Events of earlier followers are ignored.
        var number = 0
        /// Closure that closes the connection of the current follower, or `nil` if the follower has no connection.
        var end: (@Sendable () -> Void)?
        var events: [Event] = []
    }

    /// Maximum number of queued events. If the queue is full, the feed stops reading from the daemon.
    private static let maximumEvents = 64

    private struct Superseded: Error {}

    /// First and maximum pause before the next attempt to reach an unavailable daemon.
    private static let pauses = (first: useconds_t(50_000), last: useconds_t(1_000_000))

    private let following = Mutex(Following())
    private let room = DispatchSemaphore(value: maximumEvents)
    /// Descriptor that is readable when there are events.
    let reading: FileDescriptor
    /// Descriptor to which ``wake()`` writes to make ``reading`` readable.
    let writing: FileDescriptor

    init() throws {
        let ends = try FileDescriptor.pipe()
        (reading, writing) = (ends.readEnd, ends.writeEnd)
        for end in [reading, writing] {
            _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Drains ``reading``. It becomes readable again after the next call of ``wake()``.
    func quiet() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while Glibc.read(reading.rawValue, &bytes, bytes.count) == bytes.count {}
    }

    /// Removes and returns the queued events.
    func popEvents() -> [Event] {
        quiet()
        let events = following.withLock { following in
            defer { following.events = [] }
            return following.events
        }
        for _ in events { room.signal() }
        return events
    }

    /// Starts to follow a scene and stops the previous follower. The next reply contains the complete rendering.
    ///
    /// - Parameter daemon: Connection to the daemon, which only this follower uses.
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
        // The connection was transferred to this closure above.
        nonisolated(unsafe) let daemon = daemon
        DispatchQueue(label: "org.reprise.attach").async {
            var pause = Self.pauses.first
            while self.isCurrent(number) {
                do {
                    try self.follow(call, over: daemon, as: number) { pause = Self.pauses.first }
                } catch is Superseded {
                    return
                } catch let error as VarlinkError where error.isDaemonEnding {
                    // The daemon restarts.
                } catch let error as ClientError where error.mayPass {
                    // The daemon may become available.
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
        // Another thread may shut down this connection, which is safe at any time.
        nonisolated(unsafe) let client = try daemon.connect()
        let isHeard = following.withLock { following in
            guard following.number == number else { return false }
            following.end = { client.disconnect() }
            return true
        }
        guard isHeard else { throw Superseded() }
        try client.follow(AttachCall.qualifiedMethod, json: try JSONText.write(call)) { reply in
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
    /// Whether the error indicates that the daemon is stopping.
    fileprivate var isDaemonEnding: Bool {
        if case .daemonEnding? = ControlError(self) { true } else { false }
    }
}
