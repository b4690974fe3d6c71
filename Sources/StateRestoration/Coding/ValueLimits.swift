/// How many bytes a value of an object's state takes at most (P9).
public struct ValueLimits: Sendable, Equatable {
    /// A larger one is saved and reported.
    public var warning: Int
    /// A larger one is left out and reported.
    public var maximum: Int

    /// Limits of so many bytes. Above the maximum nothing is saved, whatever the warning says.
    public init(warning: Int = 1 << 20, maximum: Int = 16 << 20) {
        self.warning = warning
        self.maximum = maximum
    }
}

/// A value that was saved and is so large that somebody should know (P9).
package struct StateSizeWarning: Sendable, Equatable, CustomStringConvertible {
    /// The object's restoration path.
    package var object: String
    package var key: String
    package var bytes: Int

    package init(object: String, key: String, bytes: Int) {
        self.object = object
        self.key = key
        self.bytes = bytes
    }

    package var description: String {
        "\(object): \"\(key)\" takes \(bytes) bytes: model data is better kept elsewhere"
    }
}
