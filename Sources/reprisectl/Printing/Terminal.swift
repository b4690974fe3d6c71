import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TerminalText

/// What the command prints.
enum Terminal {
    /// Prints a line. What an application or somebody else put into it moves no cursor, ends no
    /// line and turns no text around: it is shown as an escape.
    static func print(_ line: String) {
        write(line.printable)
    }

    /// What a line is made to stand out with.
    enum Color: Int {
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Prints a line as ``print(_:)`` does, in a color if a person looks at it on a terminal and
    /// has not set NO_COLOR (no-color.org).
    static func print(_ line: String, _ color: Color) {
        let text = line.printable
        write(isColored ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text)
    }

    /// Whether a person looks at what is printed; a pager does not change that.
    static let isTerminal = isatty(STDOUT_FILENO) != 0

    /// Where what is printed goes.
    enum Output {
        /// To standard output.
        case standard
        /// Through a pager, which a person may leave at any time.
        case pager
        /// Nowhere: the person has left the pager.
        case left
        /// Nowhere: standard output took something no more, and there is more to do.
        case lost
    }

    /// Whether something is to be done behind what is printed, also if that cannot be printed.
    static var hasMore: Bool {
        get { moreInForce.withLock { $0 } }
        set { moreInForce.withLock { $0 = newValue } }
    }
    private static let moreInForce = Mutex(false)

    /// Where what is printed goes now.
    static var output: Output {
        get { outputInForce.withLock { $0 } }
        set { outputInForce.withLock { $0 = newValue } }
    }
    private static let outputInForce = Mutex(Output.standard)

    private static let isObeying =
        isTerminal && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    private static let isColored =
        isObeying && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty

    /// Clears the screen, if a person looks at it on a terminal that can do that.
    static func clear() {
        if isObeying { write(raw: "\u{1B}[H\u{1B}[2J") }
    }

    /// Prints a text that has lines of its own, or is for a program, as it is, and a newline.
    static func write(_ text: String) { write(raw: text + "\n") }

    /// Prints JSON. What a terminal would obey in its strings is written as JSON's own escapes.
    static func write(json: String) { write(shown(json)) }

    /// Prints JSON as ``write(json:)`` does, for what has failed anyhow: that nobody can read it is
    /// not told.
    static func offer(json: String) {
        do {
            try FileDescriptor.standardOutput.writeAll((shown(json) + "\n").utf8)
        } catch {
            // The failure is told on stderr as well.
        }
    }

    /// Prints a text just as it is, with nothing behind it.
    static func write(raw text: String) {
        if output == .left || output == .lost { return }
        do {
            try FileDescriptor.standardOutput.writeAll(text.utf8)
        } catch {
            if output == .pager {
                output = .left
                return
            }
            // Who reads no more is not told, as of any other command of a pipe.
            if error as? Errno != .brokenPipe {
                complain(
                    "the command succeeded, but its reply cannot be printed: \(error).")
            }
            guard hasMore else { exit(Failure.Status.notPrinted.rawValue) }
            output = .lost
        }
    }

    /// Line of a batch that is being carried out; what is told on the side names it.
    static var line: Int? {
        get { lineInForce.withLock { $0 } }
        set { lineInForce.withLock { $0 = newValue } }
    }
    private static let lineInForce = Mutex<Int?>(nil)

    /// Application that a command for all is at; what is told on the side names it.
    static var application: String? {
        get { applicationInForce.withLock { $0 } }
        set { applicationInForce.withLock { $0 = newValue } }
    }
    private static let applicationInForce = Mutex<String?>(nil)

    /// Tells a person something on the side, on stderr, in one line.
    static func complain(_ text: String) { complain(lines: [text]) }

    /// Tells a person on the side, on stderr, what has lines of its own, as the errors of a
    /// configuration do.
    static func complain(lines: [some StringProtocol]) {
        let place = line.map { "line \($0): " } ?? ""
        let subject = application.map { "\($0.printable): " } ?? ""
        let shown = lines.map { String($0).printable }.joined(separator: "\n")
        do {
            try FileDescriptor.standardError.writeAll(
                "reprisectl: \(place)\(subject)\(shown)\n".utf8)
        } catch {
            // Nobody is left to tell; what the command ends with says it, too.
        }
    }

    private static func shown(_ json: String) -> String {
        json.escapingUnprintable { scalar in
            (UTF16.encode(scalar) ?? UTF16.EncodedScalar()).map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }
}

/// A number of things.
func count(_ number: Int, _ noun: String) -> String {
    let plural = noun.hasSuffix("s") ? "\(noun)es" : "\(noun)s"
    return "\(number) \(number == 1 ? noun : plural)"
}
