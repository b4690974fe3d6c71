import Glibc
package import Logging

/// Destination of log events: the journal, through its native protocol, if standard error is connected to it;
/// otherwise standard error, as lines of text.
package enum SystemdLogging {
    /// Makes swift-log use ``makeHandler(label:)`` for every logger.
    ///
    /// Call it once, when the program starts. When the process exits, it waits up to a second until the log is
    /// written.
    package static func bootstrap() {
        LoggingSystem.bootstrap(makeHandler)
        atexit { SystemdLogging.flush() }
    }

    /// Creates the log handler for the destination of this process.
    package static func makeHandler(label: String) -> any LogHandler {
        switch destination {
        case .journal: JournalLogHandler(label: label, identifier: identifier, queue: queue)
        case .terminal: StderrLogHandler(style: .plain, queue: queue)
        case .other: StderrLogHandler(style: .priority, queue: queue)
        }
    }

    /// Writes text to standard error, after everything that was logged earlier.
    package static func write(_ text: String) {
        let bytes = Array(text.utf8)
        queue.add(byteCount: bytes.count) { StderrLogHandler.write(bytes, to: STDERR_FILENO) }
    }

    /// Writes each later record on the thread that logs it. Call it in a process that creates no other threads.
    package static func writeDirectly() { queue.writeDirectly() }

    /// Waits until the log is written, but at most a second, because its reader may have stopped reading.
    package static func flush() { queue.flush(within: .seconds(1)) }

    private static let queue = LogQueue { count in
        let style: LogLine.Style
        switch destination {
        case .journal: return JournalLogHandler.writeLoss(count, identifier: identifier)
        case .terminal: style = .plain
        case .other: style = .priority
        }
        let line = LogLine(
            level: .warning, message: LogLine.loss(of: count), metadata: [:], style: style)
        return StderrLogHandler.write(line.bytes, to: STDERR_FILENO)
    }

    /// Kinds of destinations of a descriptor.
    package enum Destination: Sendable, Equatable {
        /// The journal, whose device and inode are in `$JOURNAL_STREAM`.
        case journal
        /// A terminal.
        case terminal
        /// A pipe, a file, or anything else.
        case other
    }

    /// Destination of standard error.
    package static var destination: Destination {
        let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        return destination(of: STDERR_FILENO, journalStream: stream)
    }

    /// Returns the destination of a descriptor (`systemd.exec(5)`, `$JOURNAL_STREAM`).
    ///
    /// - Parameter journalStream: `device:inode` in decimal, or `nil` if the variable is not set.
    package static func destination(
        of descriptor: CInt, journalStream: String?
    ) -> Destination {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .other }
        if let journalStream, journalStream == "\(status.st_dev):\(status.st_ino)" {
            return .journal
        }
        return isatty(descriptor) == 1 ? .terminal : .other
    }

    /// Name of the program: the last component of the path with which it was called.
    package static var identifier: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? "unknown"
    }
}
