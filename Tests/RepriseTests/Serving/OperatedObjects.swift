import ControllerKit
import StateRestoration

// Objects of an embedding program, which commands operate only through the protocols.

/// View that records the operations on it.
class OperatedView: View {
    /// Operations in the order in which they were performed.
    private(set) var done: [String] = []
    /// Error that every operation throws, or `nil` to perform operations.
    var refusal: OperationError?

    func note(_ what: String) throws(OperationError) {
        if let refusal { throw refusal }
        done.append(what)
    }
}

final class OperatedList: OperatedView, ListOperating, Editable {
    private(set) var isEditing = false

    func choose(_ indexes: [Int]) throws(OperationError) { try note("choose \(indexes)") }
    func choose(modelIdentifiers: [String]) throws(OperationError) {
        try note("choose \(modelIdentifiers)")
    }
    func tapElement(at index: Int) throws(OperationError) { try note("tap \(index)") }
    func moveElement(from index: Int, to destination: Int) throws(OperationError) {
        try note("move \(index) \(destination)")
    }
    func deleteElement(at index: Int) throws(OperationError) { try note("delete \(index)") }
    func changeEditing(_ isOn: Bool) throws(OperationError) {
        try note("edit \(isOn)")
        isEditing = isOn
    }
}

final class OperatedPages: OperatedView, HistoryBrowsing, Scrollable, Zoomable {
    let visibleOrigin = Point.zero
    let zoomScale = 1.0

    func load(_ address: String) throws(OperationError) { try note("load \(address)") }
    func goBack() throws(OperationError) { try note("back") }
    func goForward() throws(OperationError) { try note("forward") }
    func scroll(to point: Point) throws(OperationError) { try note("scroll \(point.x) \(point.y)") }
    func zoom(to scale: Double) throws(OperationError) { try note("zoom \(scale)") }
}

final class OperatedText: OperatedView, TextInput {
    private(set) var text = ""

    func type(_ text: String, appending: Bool) throws(OperationError) {
        try note("type \(text) \(appending)")
        self.text = appending ? self.text + text : text
        restorableStateDidChange()
    }
    func chooseText(_ range: Range<Int>) throws(OperationError) {
        guard range.lowerBound >= 0, range.upperBound <= text.count else {
            throw .notPossible("the text is short")
        }
        try note("select \(range)")
    }
}

final class OperatedButton: OperatedView, Tappable {
    func tap() throws(OperationError) { try note("tap") }
}

/// Controller on which commands operate directly.
final class OperatedController: ViewController, ElementChoosing, BackNavigating {
    private(set) var done: [String] = []
    let list = OperatedList()
    let pages = OperatedPages()
    let text = OperatedText()
    let button = OperatedButton()

    override func viewDidLoad() {
        super.viewDidLoad()
        for part in [list, pages, text, button] as [View] { view.addSubview(part) }
    }

    override func encodeRestorableState(with coder: StateEncoder) throws {
        try super.encodeRestorableState(with: coder)
        if !text.text.isEmpty { coder.encode(text.text, forKey: "text") }
    }

    override func changeEditing(_ isOn: Bool) throws(OperationError) { done.append("edit \(isOn)") }
    func choose(_ indexes: [Int]) throws(OperationError) { done.append("choose \(indexes)") }
    func goBack() throws(OperationError) { done.append("back") }
}

/// Code in docs/own-commands.md.
final class Dial: View, Tappable {
    var isLocked = false
    private(set) var turns = 0

    func tap() throws(OperationError) {
        guard !isLocked else { throw .notPossible("it is locked, unlock it first") }
        turns += 1
        restorableStateDidChange()
    }
}
