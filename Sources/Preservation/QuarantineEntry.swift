/// Something that lies in an application's quarantine.
public struct QuarantineEntry: Sendable, Equatable {
    /// Its name there, by which it can be put back.
    public var name: String
    /// Its path.
    public var path: String
    /// Why it is there, as a sentence; nil if nobody left a reason.
    public var reason: String?
    /// When it was put there: microseconds since 1970-01-01 UTC.
    public var time: Int64?
    /// How many bytes it has.
    public var byteCount: Int
}

/// What was put back from quarantine.
public struct PutBackResult: Sendable, Equatable {
    /// The names of the scenes that came back.
    public var scenes: [String]
    /// Where what was saved before of these scenes is kept; nil: nothing was.
    public var generation: String?
    /// A clause that tells what of the file could not be used; nil: all could.
    public var shortfall: String?
    /// How safe it is that they came back.
    public var saved: Saved
}
