import Glibc
import SystemPackage

/// What a person types. Waits for that and for what the daemon tells at once, and does meanwhile what waits for
/// nothing else: signals, and the keys to leave and to suspend.
final class AttachInput {
    /// How long an answer of the daemon is waited for.
    private static let patience = Duration.seconds(5)
    /// After how long it is said that one is awaited.
    private static let silence = Duration.milliseconds(500)

    /// Whether the person has left, or the terminal is gone.
    private(set) var isLeaving = false
    /// Whether an answer is awaited for so long that a person is told so.
    private(set) var isAnswerLate = false
    /// Is called when nothing is known any more of what stands on the screen.
    var forgetScreen: () -> Void = {}
    /// Is called when something is to be seen while an answer is awaited.
    var draw: () -> Void = {}
    private let feed: AttachFeed
    private let terminal: FileDescriptor
    private var decoder: KeyDecoder
    /// When something was typed last.
    private var lastInput = ContinuousClock.now

    /// - Parameters:
    ///   - terminal: Where the person types.
    ///   - escapeDelay: Silence after which an escape character is the Escape key.
    init(
        besides feed: AttachFeed, from terminal: FileDescriptor = .standardInput,
        escapeDelay: Duration
    ) {
        self.feed = feed
        self.terminal = terminal
        decoder = KeyDecoder(escapeDelay: escapeDelay)
    }

    /// The next key; nil: none was pressed.
    func next() -> Key? { isLeaving ? nil : decoder.next() }

    /// Forgets what was typed ahead, except that the person leaves.
    func drop() {
        if decoder.holdsInterrupt { isLeaving = true }
        decoder.drop()
    }

    func leave() { isLeaving = true }

    /// Lets the shell go on, until it brings the client to the front again.
    func suspend() throws {
        TerminalSession.suspend()
        // At once: nothing wakes who was not stopped, because no shell would let it go on.
        if try TerminalSession.wasStopped() { forgetScreen() }
    }

    /// Waits until something is typed or told, or until an instant.
    func wait(until end: ContinuousClock.Instant?) throws {
        var descriptors = [
            pollfd(fd: terminal.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: feed.reading.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        let ends = [end, decoder.timeout.map { lastInput + $0 }]
        let start = ContinuousClock.now
        let timeout = ends.compactMap(\.self).min().map { end in
            CInt(max(0, ((end - start) / .milliseconds(1)).rounded(.up)))
        }
        let count = poll(&descriptors, nfds_t(descriptors.count), timeout ?? -1)
        if count > 0, descriptors[0].revents != 0 {
            try read()
        } else if count >= 0 {
            // poll found nothing to read: a sequence that came while this process was busy is no silence.
            let waited = count == 0 ? Duration.milliseconds(timeout ?? 0) : .zero
            decoder.didPass(silence: start + waited - lastInput)
        }
        TerminalSession.endAsTold()
        if try TerminalSession.wasStopped() { forgetScreen() }
    }

    private func read() throws {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(terminal.rawValue, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal is gone.
            if count == 0 || ![EINTR, EAGAIN].contains(errno) { isLeaving = true }
            return
        }
        lastInput = .now
        // By themselves they wait for no key before them, and for no end of a paste.
        if bytes[..<count].allSatisfy({ $0 == 0x03 }) {
            isLeaving = true
        } else if bytes[..<count] == [0x1A] {
            try suspend()
        } else {
            decoder.add(bytes[..<count])
        }
    }

    /// Waits for the daemon, while the screen is drawn and the person may leave.
    ///
    /// - Returns: whether what is waited for is there.
    func waitForAnswer(_ isThere: () -> Bool) -> Bool {
        let start = ContinuousClock.now
        defer {
            isAnswerLate = false
            // Events of the scene that came meanwhile are still to be taken.
            feed.wake()
        }
        while !isThere() {
            let passed = ContinuousClock.now - start
            guard !isLeaving, passed < Self.patience else { return false }
            do { try wait(until: .now + Self.silence) } catch { isLeaving = true }
            if .now - start >= Self.silence {
                isAnswerLate = true
                if decoder.holdsInterrupt { isLeaving = true }
                draw()
            }
            feed.quiet()
        }
        return true
    }
}
