import Glibc
import SystemPackage

/// Reader of keyboard input that waits for keys and for events from the daemon at the same time.
///
/// While it waits, it handles signals and the keys that exit or suspend the client.
final class AttachInput {
    /// Time after which the screen shows that the client is waiting for a reply.
    private static let replyNoticeDelay = Duration.milliseconds(500)

    /// Whether the client should exit, because the user has requested it or the terminal has closed.
    private(set) var shouldExit = false
    /// Whether the client has waited so long for a reply that the screen should say so.
    private(set) var isReplyOverdue = false
    /// Closure that is called when the contents of the screen become unknown.
    var invalidateScreen: () -> Void = {}
    /// Closure that draws the screen while the client waits for a reply.
    var drawScreen: () -> Void = {}
    private let feed: AttachFeed
    private let terminal: FileDescriptor
    private var decoder: KeyDecoder
    /// Time of the last input.
    private var lastInputTime = ContinuousClock.now

    /// Creates a reader for a terminal and a feed.
    ///
    /// - Parameters:
    ///   - terminal: Terminal at which the user types.
    ///   - escapeDelay: Period of silence after which an escape character counts as the Escape key.
    init(
        watching feed: AttachFeed, from terminal: FileDescriptor = .standardInput,
        escapeDelay: Duration
    ) {
        self.feed = feed
        self.terminal = terminal
        decoder = KeyDecoder(escapeDelay: escapeDelay)
    }

    /// Removes and returns the next key, or returns `nil` if no key is available.
    func next() -> Key? { shouldExit ? nil : decoder.next() }

    /// Drops all queued keys. If one of them is Ctrl-C, the client still exits.
    func dropQueuedKeys() {
        if decoder.containsInterrupt { shouldExit = true }
        decoder.dropInput()
    }

    func requestExit() { shouldExit = true }

    /// Suspends the client until the shell brings it to the foreground again.
    func suspend() throws {
        TerminalSession.suspend()
        // Check immediately. If no shell could continue this process, the kernel has not stopped it and sends no
        // SIGCONT.
        if try TerminalSession.handleStopSignals() { invalidateScreen() }
    }

    /// Waits until there is input or an event, or until a deadline.
    func wait(until deadline: ContinuousClock.Instant?) throws {
        var descriptors = [
            pollfd(fd: terminal.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: feed.readDescriptor.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        let deadlines = [deadline, decoder.timeout.map { lastInputTime + $0 }]
        let startTime = ContinuousClock.now
        let timeout = deadlines.compactMap(\.self).min().map { deadline in
            CInt(max(0, ((deadline - startTime) / .milliseconds(1)).rounded(.up)))
        }
        let readyDescriptorCount = poll(&descriptors, nfds_t(descriptors.count), timeout ?? -1)
        if readyDescriptorCount > 0, descriptors[0].revents != 0 {
            try read()
        } else if readyDescriptorCount >= 0 {
            // The silence lasted at least until poll(2) found no input. The current time is not used, because input may
            // have arrived while this process was busy.
            let waitedDuration =
                readyDescriptorCount == 0 ? Duration.milliseconds(timeout ?? 0) : .zero
            decoder.finishIfTimedOut(silence: startTime + waitedDuration - lastInputTime)
        }
        TerminalSession.terminateIfRequested()
        if try TerminalSession.handleStopSignals() { invalidateScreen() }
    }

    private func read() throws {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(terminal.rawValue, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal has closed.
            if count == 0 || ![EINTR, EAGAIN].contains(errno) { shouldExit = true }
            return
        }
        lastInputTime = .now
        // If a read returns only Ctrl-C or only Ctrl-Z, the key takes effect immediately, without waiting for earlier
        // keys or for the end of a paste.
        if bytes[..<count].allSatisfy({ $0 == 0x03 }) {
            shouldExit = true
        } else if bytes[..<count] == [0x1A] {
            try suspend()
        } else {
            decoder.add(bytes[..<count])
        }
    }

    /// Returns whether keys have been ignored since the last call because the queue was full.
    func consumeOverflow() -> Bool { decoder.consumeOverflow() }

    /// Waits for a reply from the daemon. During the wait, the screen is drawn, keys are queued, and the user can exit
    /// the client.
    ///
    /// - Returns: Whether the reply has arrived. If not, the user has exited the client.
    func waitForReply(_ hasReply: () -> Bool) -> Bool {
        let startTime = ContinuousClock.now
        defer {
            isReplyOverdue = false
            // The loop must still handle the scene's events that have arrived during the wait.
            feed.wakeMainLoop()
        }
        while !hasReply() {
            guard !shouldExit else { return false }
            do { try wait(until: .now + Self.replyNoticeDelay) } catch { shouldExit = true }
            if .now - startTime >= Self.replyNoticeDelay {
                isReplyOverdue = true
                if decoder.containsInterrupt { shouldExit = true }
                drawScreen()
            }
            feed.drain()
        }
        return true
    }
}
