# SPDX-License-Identifier: GPL-2.0-or-later
"""The clock of the recording memory: 36 frames, ten seconds between two of them."""
STEP = 10  # seconds
FRAMES = 36
START_WALL = 1_732_095_000  # 2024-11-20 09:30:00 UTC
START_MONO = 270_000
