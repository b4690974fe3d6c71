import RepriseControl

/// Durability level of the last change, and a warning that remains after a failed save until saving succeeds.
///
/// The status is a pure state machine. If the whole application is not saved, the client checks periodically whether it
/// has been saved since. Otherwise, the cause is the changed object, and the warning stays until another change is
/// saved.
struct SaveStatus {
    /// Time between two checks.
    static let checkInterval = Duration.seconds(2)

    /// Level at which the last change was saved, or `nil` if nothing has been changed.
    private(set) var level: SaveLevel?
    /// Reason why the last change was not saved, or `nil` if it was saved.
    private(set) var notSavedReason: String?
    /// Time of the next check, or `nil` if no check is necessary.
    private(set) var checkTime: ContinuousClock.Instant?
    /// Whether a check has shown that the whole application is not saved.
    private var isApplicationUnsaved = false

    /// Creates the status of a saved change, or the status before the first change.
    init(level: SaveLevel? = nil) { self.level = level }

    /// Text of the warning, or `nil` if no warning is shown.
    var warning: String? { notSavedReason.map { $0.isEmpty ? "NOT SAVED" : "NOT SAVED: \($0)" } }

    /// Handles the result of a change.
    mutating func changeDidFinish(
        _ level: SaveLevel, _ reason: String?, now: ContinuousClock.Instant
    ) {
        guard level == .no else { return self = SaveStatus(level: level) }
        self.level = level
        notSavedReason = reason ?? ""
        if checkTime == nil { checkTime = now }
    }

    /// Handles the result of a check.
    ///
    /// - Parameter applicationLevel: Level at which the application is saved, or `nil` if it is unknown.
    mutating func checkDidFinish(_ applicationLevel: SaveLevel?, now: ContinuousClock.Instant) {
        switch applicationLevel {
        case .no?:
            isApplicationUnsaved = true
            checkTime = now + Self.checkInterval
        case nil: checkTime = now + Self.checkInterval
        case let level? where isApplicationUnsaved: self = SaveStatus(level: level)
        // The application is saved, so the cause is the changed object.
        case _?: checkTime = nil
        }
    }
}
