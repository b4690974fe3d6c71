/// How often a launch may end the process before something is done about it.
package struct LaunchLimits: Sendable, Equatable {
    /// A death so long after a launch still counts, in milliseconds (L3).
    static let soon: UInt64 = 300_000

    /// So many stamped deaths while a scene is launched are one too many: at least 1.
    package var crashes: Int
    /// More unstamped ones than these are too many.
    package var kills = 5
    /// So many stamped deaths in a row soon after a launch are one too many.
    package var deaths = 3

    /// The limits of L2 and L3.
    package init(crashes: Int = 1) {
        self.crashes = crashes
    }
}
