import Glibc
package import Logging

/// Chooses where log events go: to the journal by its own protocol if standard error is connected
/// to it, else to standard error as lines.
package enum SystemdLogging {
    /// Makes swift-log use ``makeHandler(label:)`` for every logger. The end of the process waits for up to a second
    /// until the log is written.
    ///
    /// To be called once, at the start of the program.
    package static func bootstrap() {
        LoggingSystem.bootstrap(makeHandler)
        atexit { SystemdLogging.flush() }
    }

    /// Makes the handler that fits this process's standard error.
    package static func makeHandler(label: String) -> any LogHandler {
        switch destination {
        case .journal: JournalLogHandler(label: label, identifier: identifier, queue: queue)
        case .terminal: StderrLogHandler(style: .plain, queue: queue)
        case .other: StderrLogHandler(style: .priority, queue: queue)
        }
    }

    /// Writes a text to standard error, behind what was logged.
    package static func write(_ text: String) {
        let bytes = Array(text.utf8)
        queue.add(byteCount: bytes.count) { StderrLogHandler.write(bytes, to: STDERR_FILENO) }
    }

    /// From now on each record is written on the thread that logs it. For a process that gets no other threads.
    package static func writeDirectly() { queue.writeDirectly() }

    /// Waits until the log is written, for at most a second, because its reader may have stopped reading.
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

    /// What a descriptor is connected to.
    package enum Destination: Sendable, Equatable {
        /// The journal: its device and inode are those of `$JOURNAL_STREAM`.
        case journal
        /// A terminal.
        case terminal
        /// A pipe, a file, or anything else.
        case other
    }

    /// What standard error is connected to.
    package static var destination: Destination {
        let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        return destination(of: STDERR_FILENO, journalStream: stream)
    }

    /// Tells what a descriptor is connected to (`systemd.exec(5)`, `$JOURNAL_STREAM`).
    ///
    /// - Parameter journalStream: `device:inode` in decimal, or nil if the variable is not set.
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

    /// The program's name: the last part of the path it was called by.
    package static var identifier: String {
        let path = CommandLine.arguments.first ?? ""
        return path.split(separator: "/").last.map(String.init) ?? "unknown"
    }
}
