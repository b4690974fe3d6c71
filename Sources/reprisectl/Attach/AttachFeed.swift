import Dispatch
import Glibc
import RepriseControl
import Synchronization
import SystemPackage
import Varlink

/// Feed that follows a scene on its own thread and continues across daemon restarts.
///
/// The feed queues events for the client's main loop, which waits until a descriptor is readable.
final class AttachFeed: Sendable {
    /// Event for the client's main loop.
    enum Event: Sendable {
        /// The scene has changed. `ownerHost` is the host to which the feed was redirected because it runs the
        /// application, or `nil` if the feed was not redirected.
        case reply(AttachCall.Reply, ownerHost: String?)
        /// The daemon is unavailable, and the feed is waiting for it. The associated value is the reason, if it is
        /// known.
        case unavailable(String?)
        /// No host in the cluster is known to run the application, and the feed is waiting for an owner. The associated
        /// value is the reason.
        case ownerUnknown(String)
        /// The daemon no longer sends events for this scene. The associated value is the reason.
        case failed(String)
    }

    private struct FollowState: Sendable {
        /// Number of the current follower. Events from earlier followers are ignored.
        var followerNumber = 0
        /// Closure that closes the connection of the current follower, or `nil` if the follower has no connection.
        var closeConnection: (@Sendable () -> Void)?
        var events: [Event] = []
    }

    /// Maximum number of queued events. If the queue is full, the feed stops reading from the daemon.
    private static let maximumEvents = 64

    private struct SupersededError: Error {}

    /// Delays between attempts to reach an unavailable daemon. The delay doubles after each attempt, up to the maximum.
    private static let retryDelays = (initial: useconds_t(50_000), maximum: useconds_t(1_000_000))

    private let followState = Mutex(FollowState())
    /// Semaphore that counts the free slots in the event queue.
    private let freeSlots = DispatchSemaphore(value: maximumEvents)
    /// Descriptor that is readable when events are queued.
    let readDescriptor: FileDescriptor
    /// Descriptor to which ``wakeMainLoop()`` writes to make ``readDescriptor`` readable.
    let writeDescriptor: FileDescriptor

    init() throws {
        let pipeEnds = try FileDescriptor.pipe()
        (readDescriptor, writeDescriptor) = (pipeEnds.readEnd, pipeEnds.writeEnd)
        for end in [readDescriptor, writeDescriptor] {
            _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
    }

    /// Drains ``readDescriptor``. The descriptor becomes readable again after the next call to ``wakeMainLoop()``.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while Glibc.read(readDescriptor.rawValue, &bytes, bytes.count) == bytes.count {}
    }

    /// Removes and returns the queued events.
    func popEvents() -> [Event] {
        drain()
        let events = followState.withLock { followState in
            defer { followState.events = [] }
            return followState.events
        }
        for _ in events { freeSlots.signal() }
        return events
    }

    /// Starts following a scene and stops the previous follower. The next reply contains a complete rendering.
    ///
    /// - Parameter daemon: Connection to the daemon, used only by the new follower.
    func follow(_ call: AttachCall, over daemon: sending DaemonConnection) {
        let (followerNumber, droppedEventCount) = followState.withLock { followState in
            followState.closeConnection?()
            followState.closeConnection = nil
            followState.followerNumber += 1
            let droppedEventCount = followState.events.count
            followState.events = []
            return (followState.followerNumber, droppedEventCount)
        }
        for _ in 0..<droppedEventCount { freeSlots.signal() }
        // The caller has transferred the connection to this method, and only this closure uses it.
        nonisolated(unsafe) let daemon = daemon
        DispatchQueue(label: "org.reprise.attach").async {
            self.runFollower(followerNumber, call, over: daemon)
        }
    }

    /// Follows the scene, with a new connection after each failure, until another follower starts or no attempt can
    /// succeed.
    private func runFollower(
        _ followerNumber: Int, _ call: AttachCall, over daemon: DaemonConnection
    ) {
        defer { daemon.disconnect() }
        var retryDelay = Self.retryDelays.initial
        var lastOwnerHost = daemon.ownerHostName
        while isCurrent(followerNumber) {
            let attemptEnd = attempt(call, over: daemon, as: followerNumber) {
                retryDelay = Self.retryDelays.initial
                daemon.ownerDidReply()
            }
            switch attemptEnd {
            case .superseded: return
            case .failed(let reason): return post(.failed(reason), by: followerNumber)
            case .ownerFound(let host):
                let sentence = "the application runs on \(host) now: connecting to it"
                post(.unavailable(sentence), by: followerNumber)
            case .unavailable(let event):
                post(event, by: followerNumber)
                // The other host may run the application now, or may know the owner.
                let ownerHost = daemon.ownerHostName
                daemon.switchHost(to: ownerHost == nil ? lastOwnerHost : nil)
                lastOwnerHost = ownerHost ?? lastOwnerHost
                usleep(retryDelay)
                retryDelay = min(2 * retryDelay, Self.retryDelays.maximum)
            }
        }
    }

    /// Reason why an attempt to follow a scene has ended.
    private enum AttemptEnd {
        /// Another follower has started.
        case superseded
        /// No further attempt can succeed. The associated value is the reason.
        case failed(String)
        /// The next attempt connects to the host that runs the application.
        case ownerFound(host: String)
        /// A later attempt may succeed. The event describes the problem.
        case unavailable(Event)
    }

    private func attempt(
        _ call: AttachCall, over daemon: DaemonConnection, as followerNumber: Int,
        _ onReply: () -> Void
    ) -> AttemptEnd {
        do {
            try follow(call, over: daemon, as: followerNumber, onReply)
        } catch is SupersededError {
            return .superseded
        } catch let error as VarlinkError where error.isDaemonStopping {
            // The daemon is restarting.
        } catch let error as ClientError where error.isTransient {
            // The daemon may become available.
        } catch ClientError.timedOut {
            // The daemon is running but does not reply.
        } catch let error as VarlinkError {
            if daemon.followOwner(error), let host = daemon.ownerHostName {
                return .ownerFound(host: host)
            }
            let sentence = ControlError(error)?.description ?? error.description
            return error.isOwnerUndecided(followingOwner: daemon.followsOwner)
                ? .unavailable(.ownerUnknown(sentence)) : .failed(sentence)
        } catch {
            return .failed("\(error)")
        }
        return .unavailable(.unavailable(nil))
    }

    private func follow(
        _ call: AttachCall, over daemon: DaemonConnection, as followerNumber: Int,
        _ onReply: () -> Void
    ) throws {
        // Another thread may shut down this connection, which is safe at any time.
        nonisolated(unsafe) let client = try daemon.connect()
        let isCurrentFollower = followState.withLock { followState in
            guard followState.followerNumber == followerNumber else { return false }
            followState.closeConnection = { client.disconnect() }
            return true
        }
        guard isCurrentFollower else { throw SupersededError() }
        try client.follow(AttachCall.qualifiedMethod, json: try JSONText.write(call)) { reply in
            guard isCurrent(followerNumber) else { throw SupersededError() }
            onReply()
            post(
                .reply(try AttachCall.decode(reply), ownerHost: daemon.ownerHostName),
                by: followerNumber)
        }
    }

    private func isCurrent(_ followerNumber: Int) -> Bool {
        followState.withLock { $0.followerNumber == followerNumber }
    }

    private func post(_ event: Event, by followerNumber: Int) {
        freeSlots.wait()
        let isCurrentFollower = followState.withLock { followState in
            if followState.followerNumber == followerNumber { followState.events.append(event) }
            return followState.followerNumber == followerNumber
        }
        guard isCurrentFollower else { return _ = freeSlots.signal() }
        wakeMainLoop()
    }

    /// Makes ``readDescriptor`` readable.
    func wakeMainLoop() {
        var byte: UInt8 = 0
        _ = Glibc.write(writeDescriptor.rawValue, &byte, 1)
    }
}

extension VarlinkError {
    /// Whether the error indicates that the daemon is stopping.
    fileprivate var isDaemonStopping: Bool {
        if case .daemonEnding? = ControlError(self) { true } else { false }
    }

    /// Returns whether another call may find the host that runs the application.
    ///
    /// - Parameter followsOwner: Whether the feed connects to the owner. If so, two hosts may temporarily name each
    ///   other as the owner.
    fileprivate func isOwnerUndecided(followingOwner followsOwner: Bool) -> Bool {
        guard case .ownedElsewhere(_, let owner, _)? = ControlError(self) else { return false }
        return owner == nil || followsOwner
    }
}
