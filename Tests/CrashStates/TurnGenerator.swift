import SavedState
import SimulatedDisk
import TestSupport

/// Generator of random turns, which also computes the saved state after each pass.
struct TurnGenerator {
    var numbers: SeededNumbers
    /// Time of the last pass. All passes have different times.
    private(set) var time: Int64

    private static let maximumObjects = 24
    private static let maximumScenes = 4

    init(seed: UInt64, after time: Int64 = 0) {
        numbers = SeededNumbers(seed: seed)
        self.time = time
    }

    /// Generates a turn of one to three passes, each of which contains changes.
    ///
    /// - Returns: The turn, and the state after each pass.
    mutating func turn(on model: SavedModel) -> (turn: TurnRecords, states: [SavedModel]) {
        var turn = TurnRecords()
        var states: [SavedModel] = []
        var model = model
        for _ in 0..<(numbers.happens(percent: 15) ? 1 + numbers.below(3) : 1) {
            addPass(&turn, &model)
            states.append(model)
        }
        return (turn, states)
    }

    private mutating func addPass(_ turn: inout TurnRecords, _ model: inout SavedModel) {
        var pass = PassGenerator(model: model, time: time + 1)
        time += 1
        let scenes = model.scenes
        if scenes.isEmpty || (scenes.count < Self.maximumScenes && numbers.happens(percent: 8)) {
            pass.addScene(&numbers)
        } else {
            pass.scene = scenes[numbers.below(scenes.count)]
            if scenes.count > 1, numbers.happens(percent: 4) {
                pass.removals.append(pass.scene)
            } else {
                change(&pass)
            }
        }
        pass.end(&turn)
        model = pass.model
    }

    private mutating func change(_ pass: inout PassGenerator) {
        let tree = pass.model.tree(pass.scene)
        pass.changeValues(of: tree[numbers.below(tree.count)], &numbers)
        for _ in 0..<numbers.below(4) {
            let number = tree[numbers.below(tree.count)]
            switch numbers.below(20) {
            case 0..<5 where pass.model.objects.count < Self.maximumObjects:
                pass.addObject(below: number, &numbers)
            case 5..<8 where number != pass.scene:
                pass.move(number, below: tree[numbers.below(tree.count)])
            case 8..<10 where number != pass.scene:
                pass.removals.append(number)
            case 10: pass.removals.append(pass.model.highestNumber + 1)
            case 11..<14: pass.changeLargeValue(of: number, &numbers)
            default: pass.changeValues(of: number, &numbers)
            }
        }
    }
}
