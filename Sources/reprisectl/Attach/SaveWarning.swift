import RepriseControl

/// Warning that the last change was not saved. The warning stays until its cause is gone.
///
/// The warning is a pure state machine. If the whole application is not saved, the client checks periodically whether
/// the application is saved again. Otherwise, the cause is the changed object, and the warning stays until another
/// change is saved.
struct SaveWarning {
    /// Time between two checks.
    static let checkInterval = Duration.seconds(2)

    /// Reason why the last change was not saved, or `nil` if it was saved.
    private(set) var reason: String?
    /// Time of the next check, or `nil` if no check is necessary.
    private(set) var checkTime: ContinuousClock.Instant?
    /// Whether a check has shown that the whole application is not saved.
    private var isApplicationUnsaved = false

    /// Text of the warning, or `nil` if no warning is shown.
    var text: String? { reason.map { $0.isEmpty ? "NOT SAVED" : "NOT SAVED: \($0)" } }

    /// Handles the result of a change.
    mutating func changeDidFinish(
        _ level: SaveLevel, _ reason: String?, now: ContinuousClock.Instant
    ) {
        guard level == .no else { return self = SaveWarning() }
        self.reason = reason ?? ""
        if checkTime == nil { checkTime = now }
    }

    /// Handles the result of a check.
    ///
    /// - Parameter level: Level at which the application is saved, or `nil` if it is unknown.
    mutating func checkDidFinish(_ level: SaveLevel?, now: ContinuousClock.Instant) {
        switch level {
        case .no?:
            isApplicationUnsaved = true
            checkTime = now + Self.checkInterval
        case nil: checkTime = now + Self.checkInterval
        case _? where isApplicationUnsaved: self = SaveWarning()
        // The application is saved, so the cause is the changed object.
        case _?: checkTime = nil
        }
    }
}
