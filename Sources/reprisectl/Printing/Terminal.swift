import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TerminalText
import Varlink

/// Standard output and standard error of the command.
enum Terminal {
    /// Color or style that emphasizes a line.
    enum Color: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Prints a line. Characters that would move the cursor, end the line or change the text direction are shown as
    /// escapes.
    ///
    /// - Parameter color: Color of the line if the output is a terminal and NO_COLOR is not set (no-color.org).
    static func print(_ line: String, _ color: Color? = nil) {
        let text = line.printable
        guard let color, isColored else { return write(text) }
        write("\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m")
    }

    /// Whether a user reads the output on a terminal, directly or through a pager.
    static let isTerminal = isatty(STDOUT_FILENO) != 0

    /// Destination of the output.
    enum Output {
        /// Standard output.
        case standard
        /// A pager, which the user may close at any time.
        case pager
        /// No destination, because the user has closed the pager.
        case pagerClosed
        /// No destination, because standard output no longer accepts data. The command continues, because it has more
        /// work to do.
        case closed
    }

    /// Whether the command has more work to do even if its output cannot be printed.
    static var continuesWithoutOutput: Bool {
        get { continuesWithoutOutputStorage.withLock { $0 } }
        set { continuesWithoutOutputStorage.withLock { $0 = newValue } }
    }
    private static let continuesWithoutOutputStorage = Mutex(false)

    /// Current destination of the output.
    static var output: Output {
        get { outputStorage.withLock { $0 } }
        set { outputStorage.withLock { $0 = newValue } }
    }
    private static let outputStorage = Mutex(Output.standard)

    private static let supportsControlSequences =
        isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    private static let isColored =
        supportsControlSequences
        && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty

    /// Clears the screen if the output is a terminal that supports control sequences.
    static func clear() {
        if supportsControlSequences { write(raw: "\u{1B}[H\u{1B}[2J") }
    }

    /// Prints text without escaping it, followed by a newline. The text may have several lines.
    static func write(_ text: String) { write(raw: text + "\n") }

    /// Prints JSON. Characters that would control a terminal are written as JSON escapes.
    static func write(json: String) { write(escapedForTerminal(json)) }

    /// Prints JSON in UTF-8 as ``write(json:)`` does.
    static func write(json: [UInt8]) { write(json: String(decoding: json, as: UTF8.self)) }

    /// Prints a value as JSON.
    static func write(asJSON value: some JSONWritable) throws {
        write(json: try JSONText.write(value))
    }

    /// Prints JSON as ``write(json:)`` does, but ignores errors. Use this method for a command that has already failed.
    static func writeIfPossible(json: String) {
        do {
            try FileDescriptor.standardOutput.writeAll((escapedForTerminal(json) + "\n").utf8)
        } catch {
            // The failure is also printed to standard error.
        }
    }

    /// Prints text unchanged, without a newline.
    static func write(raw text: String) {
        if output == .pagerClosed || output == .closed { return }
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
        } catch {
            if output == .pager {
                output = .pagerClosed
                return
            }
            // As with other commands in a pipeline, there is no message if the reader has closed the pipe.
            if error as? Errno != .brokenPipe {
                printError(
                    "the command succeeded, but its reply cannot be printed: \(error).")
            }
            guard continuesWithoutOutput else { exit(Failure.Status.notPrinted.rawValue) }
            output = .closed
        }
    }

    /// Number of the current line in a batch, which is included in messages on standard error.
    static var batchLineNumber: Int? {
        get { batchLineNumberStorage.withLock { $0 } }
        set { batchLineNumberStorage.withLock { $0 = newValue } }
    }
    private static let batchLineNumberStorage = Mutex<Int?>(nil)

    /// Bundle identifier of the application for which a command with `--all` is currently running. Messages on standard
    /// error contain this identifier.
    static var application: String? {
        get { applicationStorage.withLock { $0 } }
        set { applicationStorage.withLock { $0 = newValue } }
    }
    private static let applicationStorage = Mutex<String?>(nil)

    /// Prints a one-line message to standard error.
    static func printError(_ text: String) { printError(lines: [text]) }

    /// Prints a message of several lines to standard error, such as the errors in a configuration.
    static func printError(lines: [some StringProtocol]) {
        let linePrefix = batchLineNumber.map { "line \($0): " } ?? ""
        let applicationPrefix = application.map { "\($0.printable): " } ?? ""
        let message = lines.map { String($0).printable }.joined(separator: "\n")
        do {
            try FileDescriptor.standardError.writeAll(
                "reprisectl: \(linePrefix)\(applicationPrefix)\(message)\n".utf8)
        } catch {
            // The message cannot be printed, but the exit status also reports the failure.
        }
    }

    private static func escapedForTerminal(_ json: String) -> String {
        json.escapingUnprintable { scalar in
            (UTF16.encode(scalar) ?? UTF16.EncodedScalar()).map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}

/// Returns a number followed by its noun in the singular or plural, such as `2 scenes`.
func countPhrase(_ number: Int, _ noun: String) -> String {
    let plural = noun.hasSuffix("s") ? "\(noun)es" : "\(noun)s"
    return "\(number) \(number == 1 ? noun : plural)"
}
