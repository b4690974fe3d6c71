/// A recorded object that a launch did not restore.
public struct UnrestoredObject: Sendable, Codable, Equatable {
    /// The most bytes of a ``detail``.
    public static let maximumDetailBytes = 1024

    /// The object's restoration path.
    public var path: String
    /// Why not.
    public var code: RestorationFailure
    /// What a person should know besides.
    public var detail: String

    /// An object that was not restored. A path or a detail that is too long is cut, and `…` stands
    /// for the rest.
    public init(path: String, code: RestorationFailure, detail: String) {
        self.path = path.cut(to: RestorationPath.maximumBytes)
        self.code = code
        self.detail = detail.cut(to: Self.maximumDetailBytes)
    }
}

/// Why a recorded object was not restored: stable codes (R15).
public enum RestorationFailure: String, Sendable, Codable, CaseIterable {
    /// Its restoration class gave no object (R3, R7).
    case restorationClassNil = "restoration-class-nil"
    /// Nobody claims the recorded restoration class (R5).
    case restorationClassMissing = "restoration-class-missing"
    /// Nobody claims the recorded class (R5).
    case classMissing = "class-missing"
    /// What was found is not of the recorded class (R4).
    case classMismatch = "class-mismatch"
    /// The storyboard, or its object, that would make it is not there (R3).
    case storyboardMissing = "storyboard-missing"
    /// Nothing at this path exists, and nothing makes it (R3, R7).
    case noObject = "no-object"
    /// An object above it was not restored.
    case parentDropped = "parent-dropped"
    /// It stood in a stack above a controller that was not restored (R8).
    case stackCut = "stack-cut"
    /// Another object has its path, or its object has another path (R11).
    case duplicatePath = "duplicate-path"
    /// It threw while it decoded.
    case decodeFailed = "decode-failed"
    /// The delegate refused the saved state (P1).
    case refusedByDelegate = "refused-by-delegate"
}

extension String {
    /// The text, or as much of its beginning as fits with a `…` behind it into a number of bytes.
    func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes - "…".utf8.count)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
