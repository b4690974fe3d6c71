import ExactText

/// The account of a launch: which objects it restored, and which it did not (R15).
///
/// A report is bounded: each of its lists has at most ``maximumEntries``, with paths of at most
/// ``RestorationPath/maximumBytes``. What they leave out is counted.
public struct RestorationReport: Sendable, Codable, Equatable {
    /// The most entries that a list of a report has.
    public static let maximumEntries = 10_000

    /// Reason for which the scene was launched.
    public var reason: LaunchReason
    /// How many objects were recorded.
    public var recorded = 0
    /// How many of them were found and decoded.
    public var restored = 0
    /// The recorded objects that were not restored, parents first.
    public var unrestored: [UnrestoredObject] = []
    /// Paths for which a finder gave an object although another stood there, which was restored
    /// instead (R11): `duplicate-path`.
    public var duplicates: [UnrestoredObject] = []
    /// How many records no object took over; they stay in the archive as unclaimed (R16).
    public var unclaimed = 0
    /// Paths of records that leave the archive: too many launches could not place them (R16).
    public var expired: [String] = []
    /// Paths of records that leave the archive at the next launch that cannot place them (R16).
    public var expiring: [String] = []
    /// Paths of records that leave the archive because the application says that their objects are
    /// gone on purpose (R3).
    public var gone: [String] = []
    /// How the program died with the scene before, and which command tries again; a sentence. Nil:
    /// it did not, or that is settled (L2, L3).
    public package(set) var precedingDeath: String?
    /// Controllers that what another scene did took away since the launch: the path of each, and
    /// where what it held is kept.
    public var vanished: [String] = []
    /// How many entries the lists leave out.
    public var unlisted = 0
    /// Whether the delegate refused to restore (P1).
    public var isRefused = false
    /// What became of state that was saved and that the launch was not given, and the command that
    /// brings it back (L4, L5); a sentence without its full stop, nil if there is none.
    public var displaced: String?
    /// How often the restoration was completed without having been extended (R13).
    public var superfluousCompletions = 0
    /// Whether the restoration was still extended when the time for it was over (R13).
    public var hasTimedOut = false

    /// Whether some record has no object (R16): a generation is made before the first pass.
    public var isAnythingUnplaced: Bool { isRefused || unclaimed > 0 || !expired.isEmpty }
    /// Whether an object could not decode its record, whose place its next change takes: a generation is
    /// made before the first pass.
    public var isAnythingUndecoded: Bool { unrestored.contains { $0.code == .decodeFailed } }

    /// A report of nothing yet.
    public init(reason: LaunchReason) {
        self.reason = reason
    }

    /// The entry for the object that was recorded at a path; nil if there is none: the object was
    /// restored or not recorded, or it is one of the ``unlisted``.
    ///
    /// - Parameter path: the path as it is written, compared by its bytes (I5).
    public func entry(for path: String) -> UnrestoredObject? {
        let isMeant = { (entry: UnrestoredObject) in entry.path.utf8.elementsEqual(path.utf8) }
        return unrestored.first(where: isMeant) ?? duplicates.first(where: isMeant)
    }

    /// Lists an entry, or counts it if the list is full.
    ///
    /// - Parameter entry: made only if it is listed.
    mutating func list<Entry>(
        _ entry: @autoclosure () -> Entry, in list: WritableKeyPath<Self, [Entry]>
    ) {
        if self[keyPath: list].count < Self.maximumEntries {
            self[keyPath: list].append(entry())
        } else {
            unlisted += 1
        }
    }
}

/// A recorded object that a launch did not restore.
public struct UnrestoredObject: Sendable, Codable, Equatable {
    /// Maximum size of a ``detail`` or ``remedy`` in bytes.
    public static let maximumDetailBytes = 1024
    /// Stands for the ``path`` of an object of which it is not known.
    public static let unknownPath = "(an object whose path is not known)"

    /// The object's restoration path.
    public var path: String
    /// The reason.
    public var code: RestorationFailure
    /// A sentence with further details for a person.
    public var detail: String
    /// What to do so that a later launch restores the object: an imperative sentence, or an empty text if nothing is
    /// known to help.
    public var remedy: String
    /// Whether the report of an earlier launch told of it, too.
    public var isRepeated = false

    /// An object that was not restored. A path, detail or remedy that is too long is cut with `…`.
    public init(
        path: String, code: RestorationFailure, detail: String, remedy: String = "",
        isRepeated: Bool = false
    ) {
        self.isRepeated = isRepeated
        self.path = path.cut(to: RestorationPath.maximumBytes)
        self.code = code
        self.detail = detail.cut(to: Self.maximumDetailBytes)
        self.remedy = remedy.cut(to: Self.maximumDetailBytes)
    }
}

/// Stable codes for the reasons for which a recorded object was not restored (R15).
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum RestorationFailure: String, Sendable, Codable, CaseIterable {
    /// Its restoration class gave no object (R3, R7).
    case restorationClassNil = "restoration-class-nil"
    /// Nobody claims the recorded restoration class (R5).
    case restorationClassMissing = "restoration-class-missing"
    /// Nobody claims the recorded class (R5).
    case classMissing = "class-missing"
    /// The object that was found is not of the recorded class (R4).
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
    /// Its record, or that of an object above it, is damaged (L5).
    case damaged
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

/// Reason for which a scene is launched (R2).
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum LaunchReason: String, Sendable, Codable, CaseIterable {
    /// Nothing was saved.
    case pristine
    /// After an orderly stop.
    case restore
    /// After a crash or a kill.
    case recover
    /// A changed archive or a rollback.
    case replace
    /// A changed storyboard.
    case reload
}
