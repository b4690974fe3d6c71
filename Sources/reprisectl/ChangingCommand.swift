import RepriseControl

/// A command that changes something, whose answer tells how safe the change is.
protocol ChangingCommand: ControlCommand where Answer == SavedReply {}

extension ChangingCommand {
    func present(_ answer: SavedReply) { answer.present() }
}

extension SavedReply {
    /// Prints how safe the change is. One that could not be saved has happened all the same.
    func present() {
        switch saved {
        case .durable: Terminal.print("saved: durable")
        case .written: Terminal.print("saved: written")
        case .no: Terminal.complain("done, but NOT SAVED: \(notSavedReason ?? "reason unknown")")
        }
    }
}
