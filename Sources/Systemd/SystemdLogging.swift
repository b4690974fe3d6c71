import Glibc
package import Logging

/// Configuration of swift-log for logging to the journal or to standard error.
///
/// If standard error is connected to the journal, log events are sent to the journal in its native protocol. Otherwise,
/// they are written to standard error as lines of text.
package enum SystemdLogging {
    /// Makes swift-log use ``makeHandler(label:)`` for every logger.
    ///
    /// Call this method once, when the program starts. When the process exits, it waits up to one second for the log to
    /// be written.
    package static func bootstrap() {
        LoggingSystem.bootstrap(makeHandler)
        atexit { SystemdLogging.flush() }
    }

    /// Creates a log handler for the destination of this process's log.
    package static func makeHandler(label: String) -> any LogHandler {
        switch destination {
        case .journal: JournalLogHandler(label: label, programName: programName, queue: queue)
        case .terminal: StderrLogHandler(style: .levelPrefix, queue: queue)
        case .other: StderrLogHandler(style: .priorityPrefix, queue: queue)
        }
    }

    /// Writes text to standard error, after all earlier log records.
    package static func write(_ text: String) {
        let bytes = Array(text.utf8)
        queue.add(byteCount: bytes.count) { StderrLogHandler.write(bytes, to: STDERR_FILENO) }
    }

    /// Makes every later log call write its record immediately, on the calling thread.
    ///
    /// Call this method only in a process that creates no other threads.
    package static func enableDirectWrites() { queue.enableDirectWrites() }

    /// Waits up to one second for the log to be written.
    ///
    /// The wait is limited because the reader of the log may have stopped reading.
    package static func flush() { queue.flush(within: .seconds(1)) }

    private static let queue = LogQueue { count in
        let style: LogLine.Style
        switch destination {
        case .journal:
            return JournalLogHandler.writeLostRecordCount(count, programName: programName)
        case .terminal: style = .levelPrefix
        case .other: style = .priorityPrefix
        }
        let line = LogLine(
            level: .warning, message: LogLine.lostRecordsMessage(of: count), metadata: [:],
            style: style)
        return StderrLogHandler.write(line.bytes, to: STDERR_FILENO)
    }

    /// Kind of destination that a descriptor is connected to.
    package enum Destination: Sendable, Equatable {
        /// The journal, whose device and inode are in `$JOURNAL_STREAM`.
        case journal
        /// A terminal.
        case terminal
        /// Any other destination, such as a pipe or a file.
        case other
    }

    /// Destination of standard error.
    package static var destination: Destination {
        let journalStream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        return destination(of: STDERR_FILENO, journalStream: journalStream)
    }

    /// Returns the destination of a descriptor (`systemd.exec(5)`, `$JOURNAL_STREAM`).
    ///
    /// - Parameter journalStream: The value of `$JOURNAL_STREAM`, which is `device:inode` in decimal, or `nil` if the
    ///   variable is not set.
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

    /// Name of the program: the last component of the path that was used to start it.
    package static var programName: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? "unknown"
    }
}
