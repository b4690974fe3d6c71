extension ViewController {
    /// Goes the way that the storyboard states under this name: makes the destination, hands it to
    /// ``prepare(for:sender:)`` and shows it.
    ///
    /// As in UIKit, ``shouldPerformSegue(withIdentifier:sender:)`` is not asked: code that calls this
    /// has decided. A subclass names the segue in ``storyboardRequirements``, so that a storyboard
    /// without it is refused when it is read. A name that stands in neither is a programming error
    /// and traps.
    ///
    /// - Parameters:
    ///   - identifier: the segue's name at this controller.
    ///   - sender: what asked for it, for ``prepare(for:sender:)``.
    public func performSegue(withIdentifier identifier: String, sender: Any?) {
        guard let definition = stated.segues[identifier] else {
            preconditionFailure(
                "\(Self.self) has no segue \"\(identifier)\": name it in storyboardRequirements")
        }
        let segue = Segue(
            definition, source: self,
            destination: storyboardController(
                definition.destination, storyboard: definition.storyboard))
        prepare(for: segue, sender: sender)
        segue.perform()
    }

    /// A storyboard hands over a segue.
    package func addSegue(_ definition: SegueDefinition) {
        stated.segues[definition.identifier] = definition
    }

    /// A storyboard lets a control perform a segue when a person taps it.
    package func performSegue(_ identifier: String, whenTapped control: Control) {
        control.addAction(for: .primaryActionTriggered) { [weak self, weak control] in
            guard let self, shouldPerformSegue(withIdentifier: identifier, sender: control) else {
                return
            }
            performSegue(withIdentifier: identifier, sender: control)
        }
    }
}
