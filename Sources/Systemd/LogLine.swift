package import Logging
import TerminalText

/// A log event as one line of text.
package struct LogLine: Sendable, Equatable {
    /// Style of a line. It determines the prefix of the line.
    package enum Style: Sendable, Equatable {
        /// The syslog priority as `<N>`, which the journal parses and removes (`sd-daemon(3)`).
        case priorityPrefix
        /// The name of the level, for a user at a terminal.
        case levelPrefix
    }

    /// Maximum size of a line in bytes, including its line feed.
    ///
    /// A write of at most this size to a pipe is atomic (`pipe(7)`).
    package static let maximumBytes = 4_096

    /// Text of the line, without its line feed.
    package let text: String

    /// Creates a line that consists of the message and a `key=value` pair for each metadata entry, sorted by key.
    ///
    /// Control characters, zero-width characters and characters that change the direction of text are escaped. For
    /// example, a line feed becomes `\n`. Each event is therefore exactly one line, and cannot control or mislead a
    /// terminal. A value that contains spaces, quotes or `=` is quoted. A line that is too long is truncated and ends
    /// in `…`.
    ///
    /// The style ``Style/levelPrefix`` omits `MESSAGE_ID`, which is meant for programs, and values that the message
    /// already contains.
    package init(
        level: Logger.Level, message: String, metadata: Logger.Metadata, style: Style
    ) {
        var text =
            switch style {
            case .priorityPrefix: "<\(level.syslogPriority)>"
            case .levelPrefix: "\(level): "
            }
        text += message.truncated(toUTF8: Self.maximumBytes).printable
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            guard text.utf8.count < Self.maximumBytes else { break }
            let value = "\(value)".truncated(toUTF8: Self.maximumBytes)
            if style == .levelPrefix, key == "MESSAGE_ID" || Self.message(message, contains: value)
            {
                continue
            }
            text += " \(key.printable)=\(Self.quotedIfNeeded(value))"
        }
        self.text = text.truncated(toUTF8: Self.maximumBytes - 1)
    }

    /// Returns the message that reports lost records.
    static func lostRecordsMessage(of count: Int) -> String {
        "\(count) earlier records of this log were lost, because the log was not read or could not be "
            + "written"
    }

    /// The complete line, including its line feed.
    package var bytes: [UInt8] { Array(text.utf8) + [UInt8(ascii: "\n")] }

    /// Returns whether a message contains a value as whole words.
    ///
    /// A value without letters does not count, because the message may contain the same number by coincidence.
    private static func message(_ message: String, contains value: String) -> Bool {
        guard value.contains(where: \.isLetter),
            let range = message.utf8.firstRange(of: value.utf8)
        else { return false }
        let adjacentCharacters = [
            message[..<range.lowerBound].last, message[range.upperBound...].first,
        ]
        return !adjacentCharacters.contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
    }

    private static func quotedIfNeeded(_ value: String) -> String {
        let specialCharacters: Set<Character> = [" ", "\"", "=", "\\"]
        let isPlain = !value.isEmpty && !value.contains(where: specialCharacters.contains)
        return isPlain && value.printable.utf8.elementsEqual(value.utf8) ? value : value.quoted
    }
}

extension LogEvent {
    /// Returns all metadata for this event.
    ///
    /// The metadata comes from the handler, the provider and the event, in order of increasing precedence. An error in
    /// the event is added as `error.message` and `error.type`.
    package func metadata(
        over handlerMetadata: Logger.Metadata, provider: Logger.MetadataProvider?
    ) -> Logger.Metadata {
        var mergedMetadata = handlerMetadata
        if let provider { mergedMetadata.merge(provider.get()) { $1 } }
        if let metadata { mergedMetadata.merge(metadata) { $1 } }
        if let error {
            let errorMetadata: Logger.Metadata = [
                "error.message": "\(error)",
                "error.type": "\(String(reflecting: type(of: error)))",
            ]
            mergedMetadata.merge(errorMetadata) { $1 }
        }
        return mergedMetadata
    }
}

extension Logger.Level {
    /// Syslog priority of the level (`syslog(3)`), from 2 for critical to 7 for debug.
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
    /// Returns the string, truncated if it has more than `limit` bytes of UTF-8.
    ///
    /// A truncated string ends in `…`, and has at most `limit` bytes including this character.
    ///
    /// Unicode scalars are never split. The limit must be at least 3, the length of `…` in bytes.
    func truncated(toUTF8 limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let ellipsis = "…"
        var byteCount = ellipsis.utf8.count
        var beginning = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            byteCount += UTF8.width(scalar)
            guard byteCount <= limit else { break }
            beginning.append(scalar)
        }
        return String(beginning) + ellipsis
    }
}
