package import Logging
import TerminalText

/// A log event as one line of text.
package struct LogLine: Sendable, Equatable {
    /// What a line begins with.
    package enum Style: Sendable, Equatable {
        /// `<N>`, the syslog priority, which the journal reads and removes (`sd-daemon(3)`).
        case priority
        /// The level's name, for a person at a terminal.
        case plain
    }

    /// The most bytes of a line with its line feed: what a pipe takes in one piece (`pipe(7)`).
    package static let limit = 4_096

    /// The line without its line feed.
    package let text: String

    /// Creates a line: the message, then `key=value` for each metadata entry by key.
    ///
    /// Control characters are escaped (`\n`), and so are characters that turn a text around or have no
    /// width: an event is one line, cannot command a terminal, and is read as it was written. A value
    /// with spaces, quotes or `=` is quoted. A longer line is cut and ends in `…`. At a terminal
    /// `MESSAGE_ID` is left out: it is for programs.
    package init(
        level: Logger.Level, message: String, metadata: Logger.Metadata, style: Style
    ) {
        var text =
            switch style {
            case .priority: "<\(level.syslogPriority)>"
            case .plain: "\(level): "
            }
        text += message.cut(toUTF8: Self.limit).printable
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            guard text.utf8.count < Self.limit else { break }
            if style == .plain, key == "MESSAGE_ID" { continue }
            let value = "\(value)".cut(toUTF8: Self.limit)
            text += " \(key.printable)=\(Self.quotedIfNeeded(value))"
        }
        self.text = text.cut(toUTF8: Self.limit - 1)
    }

    /// The message about lost records.
    static func loss(of count: Int) -> String {
        "\(count) earlier records of this log were lost, because it was not read or could not be "
            + "written"
    }

    /// The line as it is written, with its line feed.
    package var bytes: [UInt8] { Array(text.utf8) + [UInt8(ascii: "\n")] }

    private static func quotedIfNeeded(_ value: String) -> String {
        let special: Set<Character> = [" ", "\"", "=", "\\"]
        let isPlain = !value.isEmpty && !value.contains(where: special.contains)
        return isPlain && value.printable.utf8.elementsEqual(value.utf8) ? value : value.quoted
    }
}

extension LogEvent {
    /// All metadata that goes with this event, by rising precedence: the handler's, the provider's,
    /// the event's, and the event's error as `error.message` and `error.type`.
    package func metadata(
        over handler: Logger.Metadata, provider: Logger.MetadataProvider?
    ) -> Logger.Metadata {
        var all = handler
        if let provider { all.merge(provider.get()) { $1 } }
        if let metadata { all.merge(metadata) { $1 } }
        if let error {
            all["error.message"] = "\(error)"
            all["error.type"] = "\(String(reflecting: type(of: error)))"
        }
        return all
    }
}

extension Logger.Level {
    /// The level as a syslog priority, 0 to 7 (`syslog(3)`): 2 critical to 7 debug.
    package var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension String {
    /// The text, or its longest beginning that ends in `…` and has at most `limit` bytes of UTF-8.
    ///
    /// A Unicode scalar is never cut in two. `limit` is at least the three bytes of the mark.
    func cut(toUTF8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let mark = "…"
        var size = mark.utf8.count
        var beginning = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            beginning.append(scalar)
        }
        return String(beginning) + mark
    }
}
