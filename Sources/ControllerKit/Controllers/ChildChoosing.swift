import StateRestoration

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
