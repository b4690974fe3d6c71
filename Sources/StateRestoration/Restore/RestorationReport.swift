/// What a launch restored, and what it did not (R15).
public struct RestorationReport: Sendable, Codable, Equatable {
    /// Why the scene was launched.
    public var reason: LaunchReason
    /// How many objects were recorded.
    public var recorded = 0
    /// How many of them were found and decoded.
    public var restored = 0
    /// The recorded objects that were not restored, parents first.
    public var unrestored: [UnrestoredObject] = []
    /// Whether the delegate refused to restore (P1).
    public var isRefused = false

    /// Whether a record stays in the archive as unclaimed (R16).
    public var isAnythingUnplaced: Bool {
        isRefused || unrestored.contains { $0.code.leavesRecordUnclaimed }
    }

    /// A report of nothing yet.
    public init(reason: LaunchReason) {
        self.reason = reason
    }
}

/// A recorded object that a launch did not restore.
public struct UnrestoredObject: Sendable, Codable, Equatable {
    /// The object's restoration path.
    public var path: String
    /// Why not.
    public var code: RestorationFailure
    /// What a person should know besides.
    public var detail: String

    /// An object that was not restored.
    public init(path: String, code: RestorationFailure, detail: String) {
        self.path = path
        self.code = code
        self.detail = detail
    }
}

/// Why a recorded object was not restored: stable codes (R15).
public enum RestorationFailure: String, Sendable, Codable {
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
    /// Another object has its path (R11).
    case duplicatePath = "duplicate-path"
    /// It threw while it decoded.
    case decodeFailed = "decode-failed"
    /// The delegate refused the saved state (P1).
    case refusedByDelegate = "refused-by-delegate"

    /// Whether the record stays in the archive as unclaimed (R16): no object took it over.
    package var leavesRecordUnclaimed: Bool {
        self != .decodeFailed && self != .duplicatePath
    }
}
