import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage

/// What the command prints.
enum Terminal {
    /// Prints a line. What an application or somebody else put into it moves no cursor, ends no
    /// line and turns no text around: it is shown as an escape.
    static func print(_ line: String) {
        write(escaped(line))
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
        let text = escaped(line)
        write(isColored ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text)
    }

    /// Whether a person looks at what is printed; a pager does not change that.
    static let isTerminal = isatty(STDOUT_FILENO) != 0

    /// Whether what is printed goes through a pager, which a person may leave at any time.
    static var isPaged: Bool {
        get { pagedInForce.withLock { $0 } }
        set { pagedInForce.withLock { $0 = newValue } }
    }
    private static let pagedInForce = Mutex(false)

    private static let isColored: Bool = {
        if !isTerminal { return false }
        let environment = ProcessInfo.processInfo.environment
        return environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }()

    /// Clears the screen, if a person looks at it on a terminal.
    static func clear() {
        if isatty(STDOUT_FILENO) != 0 { write("\u{1B}[H\u{1B}[2J", to: .standardOutput) }
    }

    /// Prints a text that has lines of its own, or is for a program, as it is, and a newline.
    static func write(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    /// Prints JSON. What a terminal would obey in its strings is written as JSON's own escapes.
    static func write(json: String) {
        var shown = ""
        for scalar in json.unicodeScalars {
            if scalar.isObeyed {
                for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() {
                    let digits = String(unit, radix: 16)
                    shown += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        write(shown)
    }

    /// Prints a text just as it is, with nothing behind it.
    static func write(raw text: String) {
        write(text, to: .standardOutput)
    }

    /// Line of a batch that is being carried out; what is told on the side names it.
    static var line: Int? {
        get { lineInForce.withLock { $0 } }
        set { lineInForce.withLock { $0 = newValue } }
    }
    private static let lineInForce = Mutex<Int?>(nil)

    /// Tells a person something on the side, on stderr. It may have several lines.
    static func complain(_ text: String) {
        let place = line.map { "line \($0): " } ?? ""
        let lines = (place + text).split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.map { escaped(String($0)) }.joined(separator: "\n")
        write("reprisectl: \(shown)\n", to: .standardError)
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isObeyed {
                result += scalar.escaped(asASCII: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            if isPaged { exit(0) }
            exit(Failure.Status.notPrinted.rawValue)  // Nobody is left to tell.
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may obey the scalar instead of showing it, or show nothing: control
    /// characters, separators of lines, what changes the direction of the text around it (Unicode
    /// Standard Annex 9), and what has no width, but for what joins emoji.
    fileprivate var isObeyed: Bool {
        return switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200D
        default: false
        }
    }
}

/// A number of things.
func count(_ number: Int, _ noun: String) -> String {
    let plural = noun.hasSuffix("s") ? "\(noun)es" : "\(noun)s"
    return "\(number) \(number == 1 ? noun : plural)"
}

extension String {
    /// The text with spaces behind it, up to a width.
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
