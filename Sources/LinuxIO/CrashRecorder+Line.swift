extension CrashRecorder {
    /// A line in a stamp file.
    package struct Line: Sendable, Equatable {
        /// Event that ended a process. If another process kills the process, no line is written.
        package enum ProcessEnd: Sendable, Equatable {
            /// A fatal signal with this number.
            case signal(Int32)
            /// A call to `exit` with this status.
            case exit(Int32)
        }

        /// Identifier of the process that wrote the line, as passed to ``CrashRecorder/init(_:processID:)``.
        package var processID: String
        /// Event that ended the process.
        package var end: ProcessEnd
        /// Time at which the process ended, in milliseconds since boot, including time spent in suspend
        /// (`CLOCK_BOOTTIME`).
        package var bootTimeMilliseconds: UInt64
        /// Stage and subject of the ``CrashRecorder/Context`` in which the thread crashed, or `nil` if the thread was
        /// not in a context.
        package var context: (stage: String, subject: String)? {
            stage.map { ($0, subject ?? "") }
        }

        /// Step that was running when the process ended, followed by the path of its object, or `nil` if no step was
        /// running.
        package var stepAndPath: String?

        private var stage: String?
        private var subject: String?

        /// Creates a line from its parts.
        package init(
            processID: String, end: ProcessEnd, bootTimeMilliseconds: UInt64,
            context: (stage: String, subject: String)? = nil, stepAndPath: String? = nil
        ) {
            self.processID = processID
            self.end = end
            self.bootTimeMilliseconds = bootTimeMilliseconds
            stage = context?.stage
            subject = context?.subject
            self.stepAndPath = stepAndPath
        }

        /// Parses a line, excluding its newline, or returns `nil` if the text is not a valid line.
        ///
        /// The subject may contain tabs.
        package init?(_ text: some StringProtocol) {
            let fields = text.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false)
            guard fields.count == 3 || fields.count == 5, let end = Self.parseEnd(fields[1]),
                let bootTimeMilliseconds = UInt64(fields[2])
            else { return nil }
            self.init(
                processID: String(fields[0]), end: end, bootTimeMilliseconds: bootTimeMilliseconds)
            guard fields.count == 5 else { return }
            let stageAndStep = fields[3].split(
                separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            stage = String(stageAndStep[0])
            stepAndPath = stageAndStep.count == 2 ? String(stageAndStep[1]) : nil
            subject = String(fields[4])
        }

        private static func parseEnd(_ field: some StringProtocol) -> ProcessEnd? {
            let words = field.split(separator: " ")
            guard words.count == 2, let signalOrStatus = Int32(words[1]) else { return nil }
            switch words[0] {
            case "signal": return .signal(signalOrStatus)
            case "exit": return .exit(signalOrStatus)
            default: return nil
            }
        }
    }

    /// Returns the valid lines in a stamp file, and ignores invalid lines.
    package static func lines(in bytes: [UInt8]) -> [Line] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            String(validating: line, as: UTF8.self).flatMap { Line($0) }
        }
    }
}
