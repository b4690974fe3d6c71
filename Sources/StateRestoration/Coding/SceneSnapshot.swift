import ExactText
public import FoundationEssentials

/// Text rendering of a scene at a point in time.
public struct SceneSnapshot: Sendable, Equatable {
    /// Maximum size of a stored snapshot, in bytes.
    public static let maximumBytes = 64 << 10

    /// Text rendering of the scene.
    public var text: String
    /// Time of the first pass that produced this text, in microseconds since 1970-01-01 UTC.
    package var timestampMicroseconds: Int64

    /// Time of the first pass that produced this text.
    public var timestamp: Date { Date(microseconds: timestampMicroseconds) }

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - text: The text rendering of the scene.
    ///   - timestamp: The time of the first pass that produced the text, in microseconds since 1970-01-01 UTC.
    package init(text: String, timestamp: Int64) {
        self.text = text
        timestampMicroseconds = timestamp
    }
}
