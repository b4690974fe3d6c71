import StateRestoration

/// Which of a container's children is chosen: one always is, unless there are none.
struct ChildChoice {
    private weak var chosen: ViewController?
    /// Where the chosen one stands, or will stand once there are as many.
    private(set) var index = 0
    /// The place that was chosen while there were no children, until a child comes there.
    private var awaited: Int?

    /// The chosen child.
    func child(of container: ViewController) -> ViewController? {
        chosen.flatMap { container.isHolding($0) ? $0 : nil }
    }

    /// Chooses the child at a place, or the nearest. Without children the place waits for its own.
    mutating func choose(_ index: Int, of container: ViewController) {
        awaited = container.children.isEmpty ? max(index, 0) : nil
        take(index, of: container)
    }

    private mutating func take(_ index: Int, of container: ViewController) {
        let children = container.children
        self.index = max(children.isEmpty ? index : min(index, children.count - 1), 0)
        chosen = children.isEmpty ? nil : children[self.index]
    }

    /// Children came, went or changed places: the chosen one stays so. If it is gone, the one that
    /// stands at its place now is chosen, or the last.
    mutating func update(of container: ViewController) {
        let children = container.children
        if children.isEmpty { return }
        if let awaited {
            if awaited < children.count { self.awaited = nil }
            take(awaited, of: container)
        } else if let index = children.firstIndex(where: { $0 === chosen }) {
            self.index = index
        } else {
            take(index, of: container)
        }
    }
}

/// A container that shows one of its children, the chosen one.
protocol ChildChoosing: ViewController {
    var choice: ChildChoice { get set }
}

extension ChildChoosing {
    /// The chosen child; setting a controller that is no child changes nothing.
    var chosenChild: ViewController? {
        get { choice.child(of: self) }
        set {
            guard let index = children.firstIndex(where: { $0 === newValue }) else { return }
            chosenIndex = index
        }
    }

    /// Where the chosen child stands.
    var chosenIndex: Int {
        get { choice.index }
        set {
            choice.choose(newValue, of: self)
            updateShownChild()
            invalidateRestorableState()
        }
    }

    /// The choice follows the children.
    func updateChoice() {
        choice.update(of: self)
        updateShownChild()
        invalidateRestorableState()
    }

    /// Stores the identified children and the chosen one (P10).
    func encodeChoice(
        with coder: StateEncoder, children childrenKey: StaticString, chosen chosenKey: StaticString
    ) {
        encodeStoryboardChildren(with: coder)
        coder.encode(children.filter { $0.restorationIdentifier != nil }, forKey: childrenKey)
        if let chosenChild, chosenChild.restorationIdentifier != nil {
            coder.encode(chosenChild, forKey: chosenKey)
        }
    }

    /// Links children that were made anew where they stood (R9), and chooses the one that was
    /// chosen. If that was not restored, the choice is the launch's.
    func relinkChoice(_ saved: [ViewController?], chosen: ViewController?) {
        let relinked = childrenRelinked(with: saved)
        if relinked.count != children.count { replaceChildren(with: relinked) }
        if let chosen { chosenChild = chosen }
    }
}
