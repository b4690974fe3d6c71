/// Says of which scene a pass was, and when it was made.
package struct PassEnd: Sendable, Equatable {
    /// The scene's object number; 0 for a pass that is of no scene.
    package var scene: UInt32
    /// The time of the pass, in microseconds since 1970, UTC; only shown, never compared.
    package var timestamp: Int64

    /// Makes the stamp of one scene's pass.
    package init(scene: UInt32, timestamp: Int64) {
        self.scene = scene
        self.timestamp = timestamp
    }
}
