/// Makes the coders that give what was saved.
struct SavedCoders {
    private let scene: Scene
    private let saved: SavedScene
    private let objects: RestoredObjects
    private let stamp: PassStamp
    private let resolve: (RecordNumber) -> (any StateRestoring)?

    /// - Parameters:
    ///   - reserved: the reserved values of the pass that saved the scene (P4).
    ///   - objects: what references lead to.
    init(
        _ saved: SavedScene, reserved: ReservedState, scene: Scene, objects: RestoredObjects
    ) {
        self.scene = scene
        self.saved = saved
        self.objects = objects
        stamp = PassStamp(
            bundleVersion: reserved.bundleVersion, timestamp: saved.timestamp,
            systemVersion: reserved.systemVersion, interfaceIdiom: reserved.interfaceIdiom)
        resolve = { [objects] number in objects.object(numbered: number) }
    }

    /// A coder with the application-level state (P2).
    func applicationState() -> StateDecoder {
        StateDecoder(
            object: { "application state" }, values: saved.values, names: scene.records.names,
            stamp: stamp, storyboardName: nil, scene: scene, resolve: resolve)
    }

    /// A coder with the state of the object that was recorded at a place (P3).
    func object(at place: Int) -> StateDecoder {
        let record = objects.tree.records[place]
        let names = scene.records.names
        let storyboard = record.header.storyboard
        return StateDecoder(
            object: { [objects] in objects.tree.writtenPath(of: place) }, values: record.values,
            names: names, stamp: stamp,
            storyboardName: storyboard == 0 ? nil : names.text(of: storyboard), scene: scene,
            resolve: resolve)
    }
}
