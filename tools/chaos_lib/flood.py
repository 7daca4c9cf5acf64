"""A stranger without a key: random bytes, overheard datagrams repeated and altered under the names of
their senders, and connections that say nothing or nonsense."""
import random
import socket
import struct
import threading
import time

from chaos_lib.node import PORT

RATE = 1500  # Datagrams a second: a nuisance, and no test of how fast this machine is.
SILENT_MAX = 60
HEARD_MAX = 2000
PACKETS = 0x0003  # All protocols.


class Flood:
    def __init__(self, addresses, seed):
        self.addresses = addresses
        self.random = random.Random(seed)
        self.heard = []  # (source, target, payload)
        self.counts = {"random": 0, "replayed": 0, "altered": 0, "redirected": 0, "connections": 0}
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True)
                        for work in (self.listen, self.send, self.connect)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()

    def listen(self):
        """Overhears what the first node hears and says."""
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(PACKETS)) as port:
            port.bind(("port0", 0))
            port.settimeout(0.1)
            while not self.ending.is_set():
                try:
                    frame = port.recv(65535)
                except TimeoutError:
                    continue
                packet = frame[14:]
                if len(self.heard) < HEARD_MAX and len(packet) > 28 and packet[9] == socket.IPPROTO_UDP:
                    source, target = (socket.inet_ntoa(packet[at:at + 4]) for at in (12, 16))
                    if source in self.addresses:  # Not what this flood sends itself under other names.
                        self.heard.append((source, target, packet[28:]))

    def send(self):
        with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw:
            while not self.ending.is_set():
                for _ in range(RATE // 50):
                    self.send_one(raw)
                time.sleep(0.02)

    def send_one(self, raw):
        kind = self.random.choice(["random", "replayed", "altered", "redirected"])
        source, target = self.random.sample(self.addresses, 2)
        if kind == "random" or not self.heard:
            kind, payload = "random", self.random.randbytes(self.random.randint(0, 1300))
        else:
            source, own_target, payload = self.random.choice(self.heard)
            if kind != "redirected":
                target = own_target
            if kind == "altered" and payload:
                at = self.random.randrange(len(payload))
                other = payload[at] ^ (1 << self.random.randrange(8))
                payload = payload[:at] + bytes([other]) + payload[at + 1:]
        udp = struct.pack("!HHHH", PORT, PORT, 8 + len(payload), 0) + payload
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0,
                             socket.inet_aton(source), socket.inet_aton(target))
        try:
            raw.sendto(header + udp, (target, 0))
            self.counts[kind] += 1
        except OSError:
            pass

    def connect(self):
        """Connections that are silent, and some that talk nonsense."""
        held = []
        while not self.ending.is_set():
            try:
                held.append(socket.create_connection((self.random.choice(self.addresses), PORT), 0.3))
                self.counts["connections"] += 1
                if self.random.random() < 0.5:
                    held[-1].sendall(self.random.randbytes(self.random.randint(1, 4000)))
            except OSError:
                pass
            if len(held) > SILENT_MAX:
                held.pop(0).close()
            time.sleep(0.02)
        for connection in held:
            connection.close()
